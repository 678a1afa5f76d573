public import CarillonModel

// The protocol documents these methods.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension LMDBEventLog {
  public func identity() throws -> ReplicaIdentity {
    try read { $0.state.identity }
  }

  public func branches() throws -> [Branch] {
    try read { $0.state.branches }
  }

  public func lastPosition() throws -> Position {
    try read { Position(rawValue: $0.state.lastPosition) }
  }

  public func projectionGeneration() throws -> UInt64 {
    try read { $0.state.generation }
  }

  public func position(of id: EventID) throws -> Position? {
    try read { snapshot in
      guard let place = try snapshot.find(id) else { return nil }
      let (position, _) = try snapshot.event(of: place.branch, at: place.sequence)
      return Position(rawValue: position)
    }
  }

  public func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> Position? {
    try read { snapshot in
      guard let owner = snapshot.owner(of: sequence.rawValue, on: Int(branch.rawValue)) else {
        return nil
      }
      return Position(rawValue: try snapshot.event(of: owner, at: sequence.rawValue).position)
    }
  }

  public func damagedEvents() throws -> [DamagedEvent] {
    try read { snapshot in
      var scan = DamageScan(snapshot)
      try scan.run()
      return scan.damaged
    }
  }

  public func scan(after position: Position, _ body: (RawEvent) throws -> Bool) throws {
    guard position.rawValue < LogFormat.maxCounter else { return }
    var next = position.rawValue + 1
    var end: UInt64?
    var goesOn = true
    while goesOn {
      goesOn = try read { snapshot in
        // The end is taken from the first snapshot. Later snapshots contain the same events.
        let last = end ?? snapshot.state.lastPosition
        end = last
        guard next <= last else { return false }
        let stop = min(last, next + Self.eventsPerSnapshot - 1)
        defer { next = stop + 1 }
        return try EventScan(snapshot).visit(next...stop, body) && stop < last
      }
    }
  }

  public func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    var next = max(sequence.rawValue, 1)
    var end: UInt64?
    var goesOn = true
    while goesOn {
      goesOn = try read { snapshot in
        let index = Int(branch.rawValue)
        guard snapshot.state.branches.indices.contains(index) else { return false }
        let last = end ?? snapshot.state.branches[index].headSequence.rawValue
        end = last
        guard next <= last else { return false }
        let stop = min(last, next + Self.eventsPerSnapshot - 1)
        defer { next = stop + 1 }
        return try EventScan(snapshot).visit(next...stop, of: index, body) && stop < last
      }
    }
  }

  // MARK: -

  /// The number of events after which a scan takes a new snapshot, so that a long scan does not
  /// keep writers from reusing old pages.
  private static var eventsPerSnapshot: UInt64 { 65_536 }

  func read<Result>(_ body: (LogSnapshot) throws -> Result) throws -> Result {
    try checkOpen()
    return try log.read(body)
  }
}
