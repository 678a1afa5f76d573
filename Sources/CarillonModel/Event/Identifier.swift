/// A 16-byte identifier, printed as a lower-case UUID.
///
/// The type parameter keeps identifiers of different things apart: a `HabitID` cannot be passed
/// where a `ScheduleID` is expected. Identifiers are ordered bytewise.
public struct Identifier<Subject>: Hashable, Sendable {
  /// Bytes 0 to 7, big-endian.
  package let high: UInt64
  /// Bytes 8 to 15, big-endian.
  package let low: UInt64

  /// The number of bytes of an identifier.
  package static var byteCount: Int { 16 }

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an identifier from exactly 16 bytes; returns nil for any other count.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads 16 bytes from a buffer, which need not be aligned.
  package init(loading bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.byteCount)
    high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Returns a random identifier: a version 4 UUID.
  package static func random(using generator: inout some RandomNumberGenerator) -> Self {
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return Self(high: high, low: low)
  }

  /// Returns a random identifier from the system's generator.
  public static func random() -> Self {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// The 16 bytes, in order.
  package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

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
  /// Parses a UUID with its four hyphens, in either case.
  public init?(_ text: String) {
    guard text.utf8.count == 36 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    for (place, character) in text.utf8.enumerated() {
      if place == 8 || place == 13 || place == 18 || place == 23 {
        guard character == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = character.hexadecimalValue else { return nil }
      (high, low) = (high << 4 | low >> 60, low << 4 | UInt64(digit))
    }
    self.init(high: high, low: low)
  }

  /// The UUID in lower case, 36 characters.
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

/// The identifier of a store: one person's data.
public typealias StoreID = Identifier<StoreSubject>
/// The random identifier of a replica: one copy of the log that writes under its own ID.
public typealias ReplicaID = Identifier<Replica>
/// The identifier of a habit.
public typealias HabitID = Identifier<Habit>
/// The identifier of a schedule of a habit.
public typealias ScheduleID = Identifier<Schedule>
/// The identifier of a pause.
public typealias PauseID = Identifier<Pause>
/// The identifier of an entry; computed from the entry's subject, never random (see
/// ``HabitEntry``).
public typealias EntryID = Identifier<HabitEntry>

/// The subject of a `StoreID`: one person's data.
public enum StoreSubject {}

/// The subject of a `ReplicaID`: one copy of the log.
public enum Replica {}
