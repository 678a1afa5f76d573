/// Closes branches: nothing more is written behind these events.
///
/// A grow-only set of event IDs. A log takes such an event in once it holds all that it names. From
/// then on it leaves them out of its version vector. A device that writes behind one of them all
/// the same has another head, so nothing is lost.
public struct BranchesClosed: Hashable, Sendable {
  /// The heads; 1 to 64.
  public var heads: [Head]

  /// Makes a value of its parts.
  public init(heads: [Head]) {
    self.heads = heads
  }

  /// The most heads that one event names.
  public static let maxHeads = 64
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
    else { throw .invalid("heads", "columns of different length") }
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

/// A log must know which of its events close branches, and reads no other payload. So this kind has
/// one form, byte for byte; the same content in other bytes closes nothing.
extension BranchesClosed {
  /// The payload.
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

  /// The first bytes of every such payload: the number 28 and the wire type of a message.
  private static let mark: (UInt8, UInt8) = (0xE2, 0x01)

  /// What a payload closes; nil for every other payload.
  ///
  /// - Complexity: O(1) for other kinds, which their first bytes tell.
  package init?(written payload: UnsafeRawBufferPointer) {
    guard payload.count > 2, payload[0] == Self.mark.0, payload[1] == Self.mark.1 else {
      return nil
    }
    // Beside the columns there are at most 15 bytes.
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

  /// ReplicaID 16, sequence 8, event ID 32.
  private static let headByteCount = 56
}

extension EventRun.Item {
  /// What the event closes; nil for every other one.
  package var closing: BranchesClosed? {
    payload.withUnsafeBytes { BranchesClosed(written: $0) }
  }
}

extension NewEvent {
  /// What the event closes; nil for every other one.
  package var closing: BranchesClosed? {
    payload.withUnsafeBytes { BranchesClosed(written: $0) }
  }
}

extension [UInt8] {
  /// Appends a field of bytes: its tag, its length, the bytes.
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
