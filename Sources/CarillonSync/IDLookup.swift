internal import CarillonModel
internal import CarillonWire

/// A cache of event IDs by place, and a list of the places to look up.
///
/// Each step of a session runs with the IDs known so far. If it lacks any, the session requests
/// them and runs the step again. Known IDs stay valid because a log only grows.
struct IDLookup: Sendable {
  private var known: [Place: EventID?] = [:]
  private var missing: [Place] = []
  private var asked: [Place] = []

  /// Returns the ID at a place; nil if there is none or if it must be looked up first.
  mutating func id(at place: Place, in tree: BranchTree) -> EventID? {
    let branch = tree[place.branch]
    if place.sequence == branch.headSequence.rawValue { return branch.headID }
    if let id = known[place] { return id }
    missing.append(place)
    return nil
  }

  /// Returns the place of a point, or nil if the log does not hold it.
  mutating func place(of point: SyncPoint, in tree: BranchTree) -> Place? {
    place(of: .prefix(point.prefix), at: point.sequence, suffix: point.suffix, in: tree)
  }

  /// Returns the place of an event, given its replica, its sequence and its ID suffix.
  mutating func place(
    of replica: ReplicaReference, at sequence: UInt64, suffix: UInt64, in tree: BranchTree
  ) -> Place? {
    let point = SyncPoint(prefix: replica.prefix, sequence: sequence, suffix: suffix)
    if let branch = tree.head(point), replica.matches(branch.replica) {
      return Place(branch: branch.index, sequence: sequence)
    }
    return tree.places(of: replica, at: sequence).first { id(at: $0, in: tree)?.suffix == suffix }
  }

  /// Returns the last event of a locator that the log holds.
  mutating func place(of locator: SyncLocator, in tree: BranchTree) -> Place? {
    for (sequence, suffix) in zip(locator.sequences, locator.suffixes) {
      if let place = place(of: locator.replica, at: sequence, suffix: suffix, in: tree) {
        return place
      }
    }
    return nil
  }

  /// Returns a locator with the IDs at a place and at 1, 3, 7 and so on before it.
  mutating func locator(
    from place: Place, reference: ReplicaReference, in tree: BranchTree
  ) -> SyncLocator {
    let sequences = SyncLocator.sequences(from: place.sequence)
    let ids = sequences.map { id(at: tree.place(on: place.branch, at: $0), in: tree) }
    return SyncLocator(
      replica: reference, sequence: place.sequence,
      suffixes: ids.prefix { $0 != nil }.compactMap { $0?.suffix })
  }

  /// Returns the places to look up before the step runs again; nil if the step is complete.
  mutating func takeMissing() -> [Place]? {
    guard !missing.isEmpty else { return nil }
    asked = missing
    missing = []
    return asked
  }

  /// Stores the IDs of the requested places.
  mutating func answer(_ ids: [EventID?]) {
    precondition(ids.count == asked.count, "each requested place needs an ID")
    for (place, id) in zip(asked, ids) { known[place] = .some(id) }
    asked = []
  }
}
