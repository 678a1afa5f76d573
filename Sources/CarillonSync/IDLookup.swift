internal import CarillonModel
internal import CarillonWire

/// IDs at places of the log, as far as they are known, and what is to be looked up.
///
/// A step of a session runs with what is known. Where that was not enough, the session asks for
/// what is missing and runs the step again. What is known stays true: a log only grows.
struct IDLookup: Sendable {
  private var known: [Place: EventID?] = [:]
  private var missing: [Place] = []
  private var asked: [Place] = []

  /// The ID at a place; nil where there is none, or none is known yet.
  mutating func id(at place: Place, in tree: BranchTree) -> EventID? {
    let branch = tree[place.branch]
    if place.sequence == branch.headSequence.rawValue { return branch.headID }
    if let id = known[place] { return id }
    missing.append(place)
    return nil
  }

  /// The place of a point, or nil where the log does not hold it.
  mutating func place(of point: SyncPoint, in tree: BranchTree) -> Place? {
    place(of: .prefix(point.prefix), at: point.sequence, suffix: point.suffix, in: tree)
  }

  /// The place of an event by its replica, its sequence and the last 8 bytes of its ID.
  mutating func place(
    of replica: ReplicaReference, at sequence: UInt64, suffix: UInt64, in tree: BranchTree
  ) -> Place? {
    let point = SyncPoint(prefix: replica.prefix, sequence: sequence, suffix: suffix)
    if let branch = tree.head(point), replica.matches(branch.replica) {
      return Place(branch: branch.index, sequence: sequence)
    }
    return tree.places(of: replica, at: sequence).first { id(at: $0, in: tree)?.suffix == suffix }
  }

  /// The greatest place of a locator that the log holds.
  mutating func place(of locator: SyncLocator, in tree: BranchTree) -> Place? {
    for (sequence, suffix) in zip(locator.sequences, locator.suffixes) {
      if let place = place(of: locator.replica, at: sequence, suffix: suffix, in: tree) {
        return place
      }
    }
    return nil
  }

  /// What the log holds at the head of a line, and 1, 3, 7 and so on before it.
  mutating func locator(
    from place: Place, reference: ReplicaReference, in tree: BranchTree
  ) -> SyncLocator {
    let sequences = SyncLocator.sequences(from: place.sequence)
    let ids = sequences.map { id(at: tree.place(on: place.branch, at: $0), in: tree) }
    return SyncLocator(
      replica: reference, sequence: place.sequence,
      suffixes: ids.prefix { $0 != nil }.compactMap { $0?.suffix })
  }

  /// What must be looked up before the step is run again; nil where the step stands.
  mutating func takeMissing() -> [Place]? {
    guard !missing.isEmpty else { return nil }
    asked = missing
    missing = []
    return asked
  }

  /// Takes the IDs at the places that were asked for.
  mutating func answer(_ ids: [EventID?]) {
    precondition(ids.count == asked.count, "an ID is wanted for each place asked for")
    for (place, id) in zip(asked, ids) { known[place] = .some(id) }
    asked = []
  }
}
