package import CarillonModel

extension ProjectionReader {
  /// The state's digest: the kept one where it is of this checkpoint, else computed, and kept
  /// where that is possible.
  ///
  /// - Complexity: O(1), or O(rows).
  package func stateDigest() throws -> StateDigest {
    if let digest = try cachedDigest() { return digest }
    let digest = try computedDigest()
    try keep(digest)
    return digest
  }

  /// The digest that is kept, or nil where it is of an earlier checkpoint.
  package func cachedDigest() throws -> StateDigest? {
    let row = try connection.query(
      "SELECT digest FROM checkpoint WHERE digest_position = ?1", position)
    guard try row.step(), !row.isNull(0) else { return nil }
    return StateDigest(bytes: [UInt8](try row.blob(0)))
  }

  /// The digest of the rows as they are: one walk along every table's key.
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

  /// Keeps a digest with the checkpoint, but not where another process is writing.
  private func keep(_ digest: StateDigest) throws {
    guard isWritable else { return }
    do {
      try connection.execute(
        "UPDATE checkpoint SET digest = ?1, digest_position = ?2", digest.bytes, position)
    } catch let error as ProjectionError where [.busy, .full, .readOnly].contains(error.code) {
      // The caller has the digest; only keeping it has to wait for another time.
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
