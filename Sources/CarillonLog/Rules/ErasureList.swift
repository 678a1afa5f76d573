package import CarillonModel

/// The events of one branch whose payloads an erasure covers, for logs that cannot read payloads.
///
/// A device of a sealed store writes it before it erases the payloads in its own log.
/// `protocol/SEALED.md`, section 8, specifies the bytes, of which only one form is valid.
package struct ErasureList: Hashable, Sendable {
  /// The `data.erased` that covers the events.
  package let erasure: EventID
  /// The last of the events; its ID commits to all events before it on its branch.
  package let last: Head
  /// The sequences of the events in descending order, the one of the last event first.
  package let sequences: [SequenceNumber]

  /// The most events that one list names.
  package static let maxCount = 1_000

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - erasure: The erasing event.
  ///   - last: The last event of the list.
  ///   - others: Events before it on its branch, at most ``maxCount`` with the last one.
  package init(erasure: EventID, last: Head, others: Set<SequenceNumber>) {
    precondition(others.count < Self.maxCount && others.allSatisfy { $0 < last.sequence })
    (self.erasure, self.last) = (erasure, last)
    sequences = [last.sequence] + others.sorted(by: >)
  }

  /// The payload in its only valid form.
  package var written: [UInt8] {
    var content = erasure.bytes + last.replica.bytes
    content += last.sequence.rawValue.bigEndianBytes + last.id.bytes
    for (sequence, next) in zip(sequences, sequences.dropFirst()) {
      content.append(varint: sequence.rawValue - next.rawValue)
    }
    return Envelope.payload(.erasureList, content)
  }

  /// Reads a payload; returns nil for any other payload.
  ///
  /// - Complexity: O(1) for other kinds, which differ in their first bytes.
  package init?(written payload: UnsafeRawBufferPointer) {
    guard Envelope.form(of: payload) == .erasureList else { return nil }
    let content = UnsafeRawBufferPointer(
      rebasing: payload[(Envelope.formIndex(in: payload.count) + 1)...])
    guard content.count >= Self.fixedCount else { return nil }
    func part(_ offset: Int) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: content[offset...])
    }
    erasure = EventID(loading: content)
    var sequence = UInt64(bigEndian: content.loadUnaligned(fromByteOffset: 48, as: UInt64.self))
    guard (1..<LogLimits.maxCounter).contains(sequence) else { return nil }
    last = Head(
      replica: ReplicaID(loading: part(32)), sequence: SequenceNumber(rawValue: sequence),
      id: EventID(loading: part(56)))
    var sequences = [SequenceNumber(rawValue: sequence)]
    var (difference, shift): (UInt64, UInt64) = (0, 0)
    for byte in content[Self.fixedCount...] {
      difference |= UInt64(byte & 0x7F) << shift
      shift += 7
      guard shift <= 63 else { return nil }
      guard byte < 128 else { continue }
      guard 1..<sequence ~= difference, sequences.count < Self.maxCount else { return nil }
      sequence -= difference
      sequences.append(SequenceNumber(rawValue: sequence))
      (difference, shift) = (0, 0)
    }
    self.sequences = sequences
    guard shift == 0, written.elementsEqual(payload) else { return nil }
  }

  /// Whether a list may name an event with this payload: a sealed one, so no other list, and
  /// nothing that a log must be able to read.
  static func mayName(_ payload: [UInt8]) -> Bool {
    payload.withUnsafeBytes { Envelope.form(of: $0) == .payload }
  }

  /// The bytes that every list has after its form.
  private static let fixedCount = 32 + 16 + 8 + 32
}

extension [UInt8] {
  /// Appends a number in groups of 7 bits, the least significant first, as short as possible.
  fileprivate mutating func append(varint number: UInt64) {
    var rest = number
    while rest > 127 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
