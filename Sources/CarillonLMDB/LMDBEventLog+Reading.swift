internal import CarillonLog
package import CarillonModel

// The protocol documents these methods.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension LMDBEventLog {
  package func identity() throws -> ReplicaIdentity {
    try read { $0.state.identity }
  }

  package func branches() throws -> [Branch] {
    try read { $0.state.branches }
  }

  package func lastPosition() throws -> LogPosition {
    try read { LogPosition(rawValue: $0.state.lastPosition) }
  }

  package func projectionGeneration() throws -> UInt64 {
    try read { $0.state.generation }
  }

  package func position(of id: EventID) throws -> LogPosition? {
    try read { try $0.position(of: id) }
  }

  package func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> LogPosition?
  {
    try read { try $0.position(on: branch, at: sequence) }
  }

  package func damagedEvents() throws -> [DamagedEvent] {
    try read { try $0.damagedEvents() }
  }

  package func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    guard position.rawValue < LogLimits.maxCounter else { return }
    var pieces = ScanPieces(from: position.rawValue + 1)
    while try read({ snapshot in
      guard let piece = pieces.piece(upTo: snapshot.state.lastPosition) else { return false }
      return try EventScan(snapshot).visit(piece, body) && !pieces.isDone
    }) {}
  }

  package func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    var pieces = ScanPieces(from: max(sequence.rawValue, 1))
    while try read({ snapshot in
      guard let piece = pieces.piece(upTo: snapshot.state.headSequence(of: branch)) else {
        return false
      }
      return try snapshot.visit(piece, of: Int(branch.rawValue), body) && !pieces.isDone
    }) {}
  }

  // MARK: -

  func read<Result>(_ body: (LogSnapshot) throws -> Result) throws -> Result {
    try checkOpen()
    return try log.read(body)
  }
}
