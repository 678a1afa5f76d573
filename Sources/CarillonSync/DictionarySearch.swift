internal import CarillonModel
internal import CarillonWire

/// The search for a dictionary that makes a message smaller.
struct DictionarySearch: Sendable {
  /// The message, still without events.
  let message: SyncMessage
  /// The runs that it will carry.
  let runs: [OutgoingRun]
  /// The places whose dictionaries the peer probably derives too, the best first.
  let places: [Place]
  /// The identifiers of the runs.
  private let needed: IdentifierTable

  /// The number of identifiers that take more bytes than a reference to a dictionary.
  private static let minShared = 3

  /// Starts a search; returns nil if a dictionary would not help.
  init?(for message: SyncMessage, runs: [OutgoingRun], places: [Place]) {
    guard !places.isEmpty, MessageComposer.areSmall(runs) else { return nil }
    var needed = IdentifierTable()
    for run in runs { run.run.addIdentifiers(to: &needed) }
    guard needed.count >= Self.minShared else { return nil }
    (self.message, self.runs, self.places, self.needed) = (message, runs, places, needed)
  }

  /// Returns the message with the dictionary that has most of the identifiers, and its table.
  ///
  /// Without such a dictionary, the table is empty.
  func result(
    _ found: [CollectedIdentifiers?], in tree: BranchTree
  ) -> (message: SyncMessage, table: IdentifierTable) {
    let shared = found.map { $0.map { needed.count(in: $0.table) } ?? 0 }
    guard let most = shared.max(), most >= Self.minShared, let index = shared.firstIndex(of: most),
      let best = found[index]
    else { return (message, IdentifierTable()) }
    var message = message
    message.dictionary = SyncMessage.DictionaryReference(
      end: SyncPoint(
        prefix: tree[places[index].branch].replica.prefix, sequence: places[index].sequence,
        suffix: best.end.suffix),
      check: best.table.check)
    return (message, best.table)
  }
}

extension SyncMessage.DictionaryReference {
  /// Returns the table that was collected, if it is the one that the sender used.
  func table(_ found: [CollectedIdentifiers?]) -> IdentifierTable? {
    guard let table = found.first??.table, table.check == check else { return nil }
    return table
  }
}

extension Coverage {
  /// Returns the last event held of each branch.
  func places(in tree: BranchTree) -> [Place] {
    tree.branches.filter { self[$0.index] > 0 }
      .map { Place(branch: $0.index, sequence: self[$0.index]) }
  }
}

extension [Place] {
  /// Returns the places on the newest branches, as many as a search compares.
  func newest(in tree: BranchTree) -> [Place] {
    Array(sorted { tree[$0.branch].headID > tree[$1.branch].headID }.prefix(4))
  }
}
