/// The ID of a request: a pure function of its subject, equal on every replica.
///
/// Its text is a prefix and 16 lower-case base32 characters (RFC 4648), which encode the first 10
/// bytes of a SHA-256. IDs sort like the bytes of their texts.
public struct RequestID: Hashable, Sendable {
  /// The kind of a request, in the byte order of the prefixes.
  package enum Kind: Hashable, Comparable, Sendable, CaseIterable {
    /// One occurrence: `c1.`.
    case occurrence
    /// Several occurrences of a group in one request: `c1d.`.
    case digest
    /// A fetched item: `c1i.`.
    case item
    /// The request to open the app: `c1o.`.
    case openApp
    /// A request that the system repeats: `c1r.`.
    case repeating

    /// The beginning of the IDs of this kind.
    var prefix: String {
      switch self {
      case .occurrence: "c1."
      case .digest: "c1d."
      case .item: "c1i."
      case .openApp: "c1o."
      case .repeating: "c1r."
      }
    }
  }

  /// The kind of the request.
  package let kind: Kind
  /// The 16 characters, 8 per word, the first in the highest byte.
  private let characters: (UInt64, UInt64)

  /// Creates the ID of one occurrence: SHA-256 over `"carillon.request.v1"`, habit (16), schedule
  /// (16), civil day (4, big-endian) and minute (2, big-endian).
  ///
  /// For a repeat, also its number (2, big-endian).
  package init(habit: HabitID, schedule: ScheduleID, nominal: CivilDateTime, number: Int = 0) {
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
  package init(habit: HabitID, schedule: ScheduleID, trigger: RequestTrigger.Shape) {
    self.init(.repeating, domain: "carillon.repeat.v1") { bytes in
      habit.withUnsafeBytes { bytes += $0 }
      schedule.withUnsafeBytes { bytes += $0 }
      bytes += trigger.text.utf8
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

  /// Creates the ID of a fetched item: SHA-256 over `"carillon.item.v1"`, the length of the source
  /// in bytes (2, big-endian), the source and the item's ID.
  package init(source: String, item: String) {
    self.init(.item, domain: "carillon.item.v1") { bytes in
      bytes.append(bigEndian: UInt16(clamping: source.utf8.count))
      bytes += source.utf8
      bytes += item.utf8
    }
  }

  private init(_ kind: Kind, domain: String, _ fill: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(80)
    bytes += domain.utf8
    fill(&bytes)
    self.kind = kind
    characters = withUnsafeBytes(of: SHA2.digest(of: bytes)) {
      (Self.base32($0[0..<5]), Self.base32($0[5..<10]))
    }
  }

  /// Whether both are the same ID.
  public static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.characters == right.characters
  }

  /// Hashes the characters.
  public func hash(into hasher: inout Hasher) {
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

extension RequestID: LosslessStringConvertible {
  /// Parses the text of an ID, or returns nil if the text is not such an ID.
  public init?(_ text: String) {
    var text = text
    let parts = text.withUTF8 { bytes -> (Kind, (UInt64, UInt64))? in
      let start = bytes.count - Self.characterCount
      guard start > 0, bytes[start...].allSatisfy(Self.isCharacter) else { return nil }
      let prefix = String(decoding: bytes[..<start], as: UTF8.self)
      guard let kind = Kind.allCases.first(where: { $0.prefix == prefix }) else { return nil }
      let words = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start...])
      let first = UInt64(bigEndian: words.loadUnaligned(as: UInt64.self))
      let second = words.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      return (kind, (first, UInt64(bigEndian: second)))
    }
    guard let parts else { return nil }
    (kind, characters) = parts
  }

  private static let characterCount = 16

  private static func isCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "2")...UInt8(ascii: "7"): true
    default: false
    }
  }

  /// The text of the ID.
  public var description: String {
    let bytes = characters.0.bigEndianBytes + characters.1.bigEndianBytes
    return kind.prefix + String(decoding: bytes, as: UTF8.self)
  }
}

extension RequestID: Comparable {
  /// Compares the bytes of the texts.
  public static func < (left: Self, right: Self) -> Bool {
    left.kind == right.kind ? left.characters < right.characters : left.kind < right.kind
  }
}

extension [UInt8] {
  /// Appends a number, most significant byte first.
  fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
