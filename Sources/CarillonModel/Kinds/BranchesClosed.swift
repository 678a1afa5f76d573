/// An event that closes branches whose replicas are not expected to write again.
///
/// A grow-only set of event IDs. A log accepts such an event once it holds all heads that it names,
/// and from then on leaves them out of its version vector. If a device still writes after one of
/// them, the branch has a new head, so nothing is lost.
public struct BranchesClosed: Hashable, Sendable {
  /// The closed heads; 1 to 64.
  package var heads: [Head]

  /// Creates a value from its parts.
  package init(heads: [Head]) {
    self.heads = heads
  }

  /// The maximum number of heads that one event names.
  package static let maxHeads = 64
}

extension BranchesClosed: EventContent {
  package static let kind = Payload.Kind.branchesClosed
  package static let name = "branches.closed"
  package static let merge = MergeRule.growOnlySet
  package static let blank = BranchesClosed(heads: [])

  package var payload: Payload { .branchesClosed(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    if visitor.hasColumns {
      try visitColumns(&visitor)
    } else {
      try visitor.groups(0, "heads", &heads, count: 1...Self.maxHeads)
    }
  }

  private mutating func visitColumns(
    _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var (replicas, ids) = (heads.flatMap(\.replica.bytes), heads.flatMap(\.id.bytes))
    var sequences = heads.map(\.sequence)
    try visitor.bytes(1, "replicas", &replicas, 0...Int64(16 * Self.maxHeads), as: .base64)
    try visitor.list(2, "sequences", &sequences, count: 0...Self.maxHeads)
    try visitor.bytes(3, "ids", &ids, 0...Int64(32 * Self.maxHeads), as: .base64)
    guard visitor.isReading else { return }
    let count = sequences.count
    guard replicas.count == ReplicaID.byteCount * count, ids.count == EventID.byteCount * count
    else { throw .invalid("heads", "columns of different lengths") }
    heads = sequences.indices.map { index in
      Head(
        replica: replicas[(16 * index)...].withUnsafeBytes { ReplicaID(loading: $0) },
        sequence: sequences[index],
        id: ids[(32 * index)...].withUnsafeBytes { EventID(loading: $0) })
    }
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    heads.count == 1 ? "1 head" : "\(heads.count) heads"
  }
}

extension Head: FieldGroup {
  package static let blank = Head(
    replica: .zero, sequence: .first, id: EventID(words: (0, 0, 0, 0)))

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    var (replica, sequence, id) = (replica, sequence, id)
    try visitor.required(0, "replica", &replica)
    try visitor.required(0, "sequence", &sequence, 1...(1 << 53))
    try visitor.required(0, "head", &id)
    self = Head(replica: replica, sequence: sequence, id: id)
  }
}

// MARK: - The written form

/// The exact encoding by which a log recognizes these events.
///
/// A log must know which of its events close branches, but decodes no other payload. So this kind
/// has exactly one valid encoding; the same content in other bytes closes nothing.
extension BranchesClosed {
  /// The payload in its only valid encoding.
  package var written: [UInt8] {
    var content: [UInt8] = []
    content.append(field: 0x0A, heads.flatMap(\.replica.bytes))
    content.append(
      field: 0x12,
      heads.flatMap { withUnsafeBytes(of: $0.sequence.rawValue.littleEndian, Array.init) })
    content.append(field: 0x1A, heads.flatMap(\.id.bytes))
    var payload: [UInt8] = [Self.mark.0]
    payload.append(field: Self.mark.1, content)
    return payload
  }

  /// The first bytes of every such payload: the tag of field 28, a message.
  @inlinable static var mark: (UInt8, UInt8) { (0xE2, 0x01) }

  /// Decodes a payload; returns nil for any other payload.
  ///
  /// - Complexity: O(1) for other kinds, which differ in their first bytes.
  @inlinable
  package init?(written payload: UnsafeRawBufferPointer) {
    guard payload.count > 2, payload[0] == Self.mark.0, payload[1] == Self.mark.1 else {
      return nil
    }
    self.init(marked: payload)
  }

  @usableFromInline
  init?(marked payload: UnsafeRawBufferPointer) {
    // Besides the columns there are at most 15 bytes.
    let count = payload.count / Self.headByteCount
    let columns = payload.count - count * Self.headByteCount
    guard (1...Self.maxHeads).contains(count), columns < Self.headByteCount else { return nil }
    let ids = payload.count - 32 * count
    let sequences = ids - (32 * count > 127 ? 3 : 2) - 8 * count
    let replicas = sequences - (8 * count > 127 ? 3 : 2) - 16 * count
    guard replicas > 0 else { return nil }
    heads = (0..<count).map { index in
      Head(
        replica: ReplicaID(
          loading: UnsafeRawBufferPointer(rebasing: payload[(replicas + 16 * index)...])),
        sequence: SequenceNumber(
          rawValue: UInt64(
            littleEndian: payload.loadUnaligned(
              fromByteOffset: sequences + 8 * index, as: UInt64.self))),
        id: EventID(loading: UnsafeRawBufferPointer(rebasing: payload[(ids + 32 * index)...])))
    }
    guard written.elementsEqual(payload), (try? validate()) != nil else { return nil }
  }

  /// The bytes per head: ReplicaID 16, sequence 8, event ID 32.
  private static let headByteCount = 56
}

extension EventRun.Item {
  /// The heads that the event closes; nil if it is not a closing event.
  package var closing: BranchesClosed? {
    payload.withUnsafeBytes { BranchesClosed(written: $0) }
  }
}

extension [UInt8] {
  /// Appends a length-delimited field: its tag, its length and its bytes.
  fileprivate mutating func append(field tag: UInt8, _ content: [UInt8]) {
    append(tag)
    if content.count > 127 {
      append(UInt8(content.count & 0x7F | 0x80))
      append(UInt8(content.count >> 7))
    } else {
      append(UInt8(content.count))
    }
    append(contentsOf: content)
  }
}
