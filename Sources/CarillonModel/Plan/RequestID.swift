internal import Crypto

/// The id of a request: a pure function of the occurrence, equal on every replica.
///
/// Its text is `c1.` or, for a repeating request, `c1r.`, and 16 lower-case base32 characters
/// (RFC 4648): the first 10 bytes of a SHA-256. Ids are ordered as the bytes of their texts.
struct RequestID: Hashable, Comparable, CustomStringConvertible {
  let repeats: Bool
  /// The 16 characters, 8 to a word, the first in the highest byte.
  private let characters: (UInt64, UInt64)

  /// The id of one occurrence: SHA-256 over `"carillon.request.v1"`, habit (16), slot (16), civil
  /// day (4, big-endian) and minute (2, big-endian).
  init(habit: HabitID, slot: SlotID, nominal: CivilDateTime) {
    self.init(
      domain: Self.requestDomain, habit: habit, slot: slot,
      rest: nominal.date.rawValue.bigEndianBytes + nominal.time.minute.bigEndianBytes)
  }

  /// The id of a repeating request: SHA-256 over `"carillon.repeat.v1"`, habit (16), slot (16) and
  /// the trigger's text without a zone.
  init(habit: HabitID, slot: SlotID, trigger: RepeatTrigger) {
    self.init(
      domain: Self.repeatDomain, habit: habit, slot: slot, rest: Array(trigger.description.utf8))
  }

  private init(domain: [UInt8], habit: HabitID, slot: SlotID, rest: [UInt8]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(80)
    bytes += domain
    habit.withUnsafeBytes { bytes += $0 }
    slot.withUnsafeBytes { bytes += $0 }
    bytes += rest
    repeats = domain == Self.repeatDomain
    characters = Self.words(of: SHA256.hash(data: bytes))
  }

  /// The 16 characters of a digest's first 10 bytes.
  static func characters(of digest: SHA256Digest) -> String {
    let words = words(of: digest)
    return String(decoding: words.0.bigEndianBytes + words.1.bigEndianBytes, as: UTF8.self)
  }

  private static func words(of digest: SHA256Digest) -> (UInt64, UInt64) {
    digest.withUnsafeBytes { (base32($0[0..<5]), base32($0[5..<10])) }
  }

  /// The text.
  var description: String {
    let bytes = characters.0.bigEndianBytes + characters.1.bigEndianBytes
    return (repeats ? "c1r." : "c1.") + String(decoding: bytes, as: UTF8.self)
  }

  static func == (left: Self, right: Self) -> Bool {
    left.repeats == right.repeats && left.characters == right.characters
  }

  static func < (left: Self, right: Self) -> Bool {
    left.repeats == right.repeats ? left.characters < right.characters : right.repeats
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(characters.0)
    hasher.combine(characters.1)
  }

  /// Five bytes as eight characters.
  private static func base32(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
    let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return stride(from: 35, through: 0, by: -5).reduce(UInt64(0)) {
      $0 << 8 | UInt64(alphabet[Int(bits >> UInt64($1) & 31)])
    }
  }

  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
  private static let requestDomain = Array("carillon.request.v1".utf8)
  private static let repeatDomain = Array("carillon.repeat.v1".utf8)
}
