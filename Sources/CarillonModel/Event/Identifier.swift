/// A 16-byte identifier of one kind of thing, printed as a lower-case UUID.
///
/// The type parameter only keeps identifiers of different things apart: a `HabitID` cannot be
/// passed where a `ScheduleID` is expected. Identifiers are ordered bytewise.
public struct Identifier<Subject>: Hashable, Sendable {
  /// Bytes 0 to 7, big-endian.
  package let high: UInt64
  /// Bytes 8 to 15, big-endian.
  package let low: UInt64

  /// The number of bytes of every identifier.
  public static var byteCount: Int { 16 }

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes an identifier of exactly 16 bytes, or nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads 16 bytes at an address, which need not be aligned.
  package init(loading bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.byteCount)
    high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Makes a random identifier: a version 4 UUID.
  public static func random(using generator: inout some RandomNumberGenerator) -> Self {
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return Self(high: high, low: low)
  }

  /// Makes a random identifier from the system's generator.
  public static func random() -> Self {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// The 16 bytes, in order.
  public var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

  /// Calls `body` with the 16 bytes, without allocating.
  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try Swift.withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
  }
}

extension Identifier: Comparable {
  /// Compares byte by byte.
  public static func < (left: Self, right: Self) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension Identifier: TextCodable {
  /// Parses a UUID, in either case, with its four hyphens.
  public init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
      let bytes = [UInt8](hexadecimal: groups.joined())
    else { return nil }
    self.init(bytes: bytes)
  }

  /// The lower-case UUID text, 36 characters.
  public var description: String {
    String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for shift in stride(from: 124, through: 0, by: -4) {
        if place == 8 || place == 13 || place == 18 || place == 23 {
          text[place] = UInt8(ascii: "-")
          place += 1
        }
        let digits = shift < 64 ? low >> UInt64(shift) : high >> UInt64(shift - 64)
        text[place] = UInt8(truncatingIfNeeded: digits & 15).hexadecimalDigit
        place += 1
      }
      return place
    }
  }
}

/// Names one person's data.
public typealias StoreID = Identifier<StoreSubject>
/// Names one copy of the log that writes under its own name: 16 random bytes.
public typealias ReplicaID = Identifier<Replica>
/// Names a habit.
public typealias HabitID = Identifier<Habit>
/// Names a schedule of a habit.
public typealias ScheduleID = Identifier<Schedule>
/// Names a pause.
public typealias PauseID = Identifier<Pause>
/// Names an entry; computed from what the entry is of, never random (see ``Entry``).
public typealias EntryID = Identifier<Entry>

/// What a `StoreID` names: one person's data.
public enum StoreSubject {}

/// What a `ReplicaID` names: one copy of the log.
public enum Replica {}
