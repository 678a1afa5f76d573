package import CarillonModel

/// Identifiers of payloads, each with a number: its place in the table.
///
/// The identifiers of a payload are found in its bytes, whatever its kind, so that two sides find
/// the same ones. `protocol/SYNC.md` defines how.
package struct IdentifierTable: Hashable, Sendable {
  /// An identifier, whatever it identifies.
  package typealias Element = Identifier<Payload>

  /// The identifiers, in the order in which they were added.
  package private(set) var identifiers: [Element] = []
  private var numbers: [Element: Int] = [:]

  /// Creates an empty table.
  package init() {}

  /// The number of events whose payloads make a dictionary.
  package static let eventCount: UInt64 = 1_024

  package var count: Int { identifiers.count }

  /// Adds the identifiers of a payload that are not in the table.
  ///
  /// - Complexity: O(bytes).
  package mutating func add(payload: UnsafeRawBufferPointer) {
    Self.split(payload) { _, identifier in
      if let identifier { _ = number(adding: identifier) }
    }
  }

  /// Returns the number of an identifier, which is added if it is not in the table.
  mutating func number(adding identifier: Element) -> Int {
    if let number = numbers[identifier] { return number }
    numbers[identifier] = count
    identifiers.append(identifier)
    return count - 1
  }

  /// Returns how many of the identifiers are also in another table.
  package func count(in other: IdentifierTable) -> Int {
    identifiers.count { other.numbers[$0] != nil }
  }

  /// The first 4 bytes of SHA-256 over all identifiers, as a big-endian number.
  package var check: UInt32 {
    UInt32(truncatingIfNeeded: SHA2.digest(of: identifiers.flatMap(\.bytes)).0.bigEndian >> 32)
  }

  /// Passes a payload in pieces: the bytes before each identifier with the identifier, and then the
  /// bytes after the last one.
  static func split(
    _ payload: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Element?) -> Void
  ) {
    var rest = payload
    while let found = offset(in: rest, of: rest.count) {
      let end = found + Element.byteCount
      body(
        UnsafeRawBufferPointer(rebasing: rest[..<found]),
        Element(loading: UnsafeRawBufferPointer(rebasing: rest[found..<end])))
      rest = UnsafeRawBufferPointer(rebasing: rest[end...])
    }
    body(rest, nil)
  }

  /// Returns the offset of the first identifier: it follows two bytes that begin a field of 16
  /// bytes in protobuf.
  ///
  /// - Parameters:
  ///   - bytes: The beginning of a payload, as far as its first identifier or longer.
  ///   - length: The number of bytes of the payload.
  static func offset(in bytes: UnsafeRawBufferPointer, of length: Int) -> Int? {
    let last = min(bytes.count - 2, length - 2 - Element.byteCount)
    guard last >= 0 else { return nil }
    for place in 0...last where bytes[place] & 7 == 2 && bytes[place + 1] == Element.byteCount {
      return place + 2
    }
    return nil
  }
}
