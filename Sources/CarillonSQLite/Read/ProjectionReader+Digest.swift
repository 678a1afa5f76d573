package import CarillonModel

extension ProjectionReader {
  /// Returns the state's digest: the stored one if it belongs to this checkpoint, otherwise a
  /// computed one, which is stored if possible.
  ///
  /// - Complexity: O(1), or O(rows) if it is computed.
  package func stateDigest() throws -> StateDigest {
    if let digest = try cachedDigest() { return digest }
    let digest = try computedDigest()
    try keep(digest)
    return digest
  }

  /// Returns the stored digest, or nil if it belongs to an earlier checkpoint.
  package func cachedDigest() throws -> StateDigest? {
    let row = try connection.query(
      "SELECT digest FROM checkpoint WHERE digest_position = ?1", position)
    guard try row.step(), !row.isNull(0) else { return nil }
    return StateDigest(bytes: [UInt8](try row.blob(0)))
  }

  /// Computes the digest of the rows, in one pass over every table in key order.
  ///
  /// - Complexity: O(rows).
  package func computedDigest() throws -> StateDigest {
    var hasher = StateHasher()
    for table in ProjectedTable.allCases.map(\.table) {
      hasher.table(table.name)
      let rows = try connection.prepare(table.orderedSelection)
      while try rows.step() {
        hasher.row()
        for index in table.columns.indices { hasher.add(rows.column(index)) }
      }
    }
    return hasher.finalize()
  }

  /// Stores a digest with the checkpoint, unless another process is writing.
  private func keep(_ digest: StateDigest) throws {
    guard isWritable else { return }
    do {
      try connection.execute(
        "UPDATE checkpoint SET digest = ?1, digest_position = ?2", digest.bytes, position)
    } catch let error as ProjectionError where [.busy, .full, .readOnly].contains(error.code) {
      // The caller has the digest; it can be stored at another time.
      return
    }
  }
}

extension StateHasher {
  fileprivate mutating func add(_ value: ColumnValue) {
    switch value {
    case .null: null()
    case .integer(let integer): self.integer(integer)
    case .blob(let bytes): blob(bytes.bytes)
    case .text(let bytes): text(bytes.bytes)
    }
  }
}
