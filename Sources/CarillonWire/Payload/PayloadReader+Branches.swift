internal import CarillonModel

/// Branches that are closed.
extension PayloadReader {
  static func branchesClosed(_ bytes: Bytes) throws(ModelError) -> BranchesClosed {
    var replicas = Bytes(start: nil, count: 0)
    var sequences: [UInt64] = []
    var ids = Bytes(start: nil, count: 0)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): replicas = field.bytes
      case (2, .bytes), (2, .fixed64): sequences += try numbers(field.bytes)
      case (3, .bytes): ids = field.bytes
      default: break
      }
    }
    let count = sequences.count
    guard replicas.count == 16 * count, ids.count == EventID.byteCount * count else {
      throw .invalid("heads", "columns of different length")
    }
    return BranchesClosed(
      heads: sequences.indices.map { index in
        Head(
          replica: ReplicaID(loading: Bytes(rebasing: replicas[(16 * index)...])),
          sequence: SequenceNumber(rawValue: sequences[index]),
          id: EventID(loading: Bytes(rebasing: ids[(EventID.byteCount * index)...])))
      })
  }

  /// Numbers of 8 bytes, one behind the other.
  private static func numbers(_ bytes: Bytes) throws(ModelError) -> [UInt64] {
    guard bytes.count.isMultiple(of: 8) else {
      throw .malformed("\(bytes.count) bytes are no list of numbers of 8")
    }
    return stride(from: 0, to: bytes.count, by: 8).map {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
    }
  }
}
