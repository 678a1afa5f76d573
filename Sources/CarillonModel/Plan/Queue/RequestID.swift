internal import Crypto

/// The ID of a request: a pure function of its subject, equal on every replica.
///
/// Its text is a prefix and 16 lower-case base32 characters (RFC 4648), which encode the first 10
/// bytes of a SHA-256. IDs sort like the bytes of their texts.
struct RequestID: Hashable, Comparable, CustomStringConvertible {
  /// The kind of a request, in the byte order of the prefixes.
  enum Kind: String, Comparable {
    case occurrence = "c1."
    case digest = "c1d."
    case item = "c1i."
    case openApp = "c1o."
    case repeating = "c1r."

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The prefixes of all IDs of Carillon's requests.
  static let prefixes = [Kind.occurrence, .digest, .item, .openApp, .repeating].map(\.rawValue)

  let kind: Kind
  /// The 16 characters, 8 per word, the first in the highest byte.
  private let characters: (UInt64, UInt64)

  /// Creates the ID of one occurrence: SHA-256 over `"carillon.request.v1"`, habit (16), schedule
  /// (16), civil day (4, big-endian) and minute (2, big-endian).
  ///
  /// For a repeat, also its number (2, big-endian).
  init(habit: HabitID, schedule: ScheduleID, nominal: CivilDateTime, number: Int = 0) {
    self.init(.occurrence, domain: "carillon.request.v1") { bytes in
      habit.withUnsafeBytes { bytes += $0 }
      schedule.withUnsafeBytes { bytes += $0 }
      bytes.append(bigEndian: nominal.date.rawValue)
      bytes.append(bigEndian: nominal.time.minute)
      if number > 0 { bytes.append(bigEndian: UInt16(clamping: number)) }
    }
  }

  /// Creates the ID of a repeating request: SHA-256 over `"carillon.repeat.v1"`, habit (16),
  /// schedule (16) and the trigger's text without a zone.
  init(habit: HabitID, schedule: ScheduleID, trigger: RequestTrigger.Shape) {
    self.init(.repeating, domain: "carillon.repeat.v1") { bytes in
      habit.withUnsafeBytes { bytes += $0 }
      schedule.withUnsafeBytes { bytes += $0 }
      bytes += trigger.description.utf8
    }
  }

  /// Creates the ID of a digest: SHA-256 over `"carillon.digest.v1"`, the group, and the minute
  /// since 1970 at which the digest fires (8, big-endian).
  init(group: String, fireAt: Instant) {
    self.init(.digest, domain: "carillon.digest.v1") { bytes in
      bytes += group.utf8
      bytes.append(bigEndian: Int64(fireAt.seconds.flooredQuotient(by: 60)))
    }
  }

  /// Creates the ID of a device's request to open the app: SHA-256 over `"carillon.open.v1"` and
  /// the replica (16).
  init(opening replica: ReplicaID) {
    self.init(.openApp, domain: "carillon.open.v1") { bytes in
      replica.withUnsafeBytes { bytes += $0 }
    }
  }

  private init(_ kind: Kind, domain: String, _ fill: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(80)
    bytes += domain.utf8
    fill(&bytes)
    self.kind = kind
    characters = Self.words(of: SHA256.hash(data: bytes))
  }

  /// Returns the 16 characters for the first 10 bytes of a hash.
  static func characters(of digest: SHA256Digest) -> String {
    let words = words(of: digest)
    return String(decoding: words.0.bigEndianBytes + words.1.bigEndianBytes, as: UTF8.self)
  }

  private static func words(of digest: SHA256Digest) -> (UInt64, UInt64) {
    digest.withUnsafeBytes { (base32($0[0..<5]), base32($0[5..<10])) }
  }

  /// The text of the ID.
  var description: String {
    let bytes = characters.0.bigEndianBytes + characters.1.bigEndianBytes
    return kind.rawValue + String(decoding: bytes, as: UTF8.self)
  }

  static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.characters == right.characters
  }

  static func < (left: Self, right: Self) -> Bool {
    left.kind == right.kind ? left.characters < right.characters : left.kind < right.kind
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(characters.0)
    hasher.combine(characters.1)
  }

  /// Encodes five bytes as eight characters.
  private static func base32(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
    let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return stride(from: 35, through: 0, by: -5).reduce(UInt64(0)) {
      $0 << 8 | UInt64(alphabet[Int(bits >> UInt64($1) & 31)])
    }
  }

  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
}

extension [UInt8] {
  /// Appends a number, most significant byte first.
  fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
