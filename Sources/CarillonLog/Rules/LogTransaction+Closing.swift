internal import CarillonModel

/// Events that close branches.
extension LogTransaction {
  /// Returns the places of the closed events; nil if the log does not hold all of them.
  func places(of closed: BranchesClosed) throws -> [Branch.Place]? {
    var places: [Branch.Place] = []
    for head in closed.heads {
      guard let place = try place(of: head) else { return nil }
      places.append(place)
    }
    return places
  }

  /// Records what an event closes that was just written or repaired.
  ///
  /// - Throws: `corruptRun` if it names an event that the log does not hold.
  func note(
    _ closed: BranchesClosed, at position: UInt64, on branch: UInt32, sequence: UInt64
  ) throws {
    guard let places = try places(of: closed) else {
      throw LogError(
        code: .corruptRun,
        message: "an event closes a branch at an event that the log does not hold")
    }
    let closing = Branch.Closing(
      position: LogPosition(rawValue: position), sequence: SequenceNumber(rawValue: sequence),
      closed: places)
    state.note(closing, on: Int(branch))
    try put(closing, on: branch)
  }
}

extension LogView {
  /// Returns the place of an event; nil if the log does not hold it.
  func place(of head: Head) throws -> Branch.Place? {
    let sequence = head.sequence.rawValue
    for index in state.places[head.replica, default: []] where state.branches[index].has(sequence) {
      let branch = state.branches[index]
      let held =
        head.sequence == branch.headSequence
        ? branch.headID : try id(of: branch.index.rawValue, at: sequence)
      if held == head.id { return Branch.Place(branch: branch.index, sequence: head.sequence) }
    }
    return nil
  }
}
