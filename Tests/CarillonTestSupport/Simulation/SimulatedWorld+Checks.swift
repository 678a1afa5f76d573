internal import CarillonModel
internal import CarillonSQLite
internal import CarillonSync
internal import CarillonWire

/// The checks after all transports are repaired.
extension SimulatedWorld {
  /// Upgrades every replica, and syncs every pair until no sync moves an event.
  mutating func converge() async throws {
    for place in replicas.indices where !replicas[place].unknownKinds.isEmpty {
      try await replicas[place].upgrade()
    }
    // Every replica may have to take a new identity and send it to all others.
    for _ in 0..<(2 * replicas.count + 4) {
      var moved = 0
      for left in replicas.indices {
        for right in replicas.indices where right > left {
          moved += try await synchronize(left, right)
        }
      }
      for replica in replicas { moved += try await replica.projections.sweep() }
      if moved == 0 { return }
    }
    throw failure("the replicas still exchange events")
  }

  /// Runs a complete sync over a transport without faults, and returns the number of events it
  /// moved.
  private mutating func synchronize(_ left: Int, _ right: Int) async throws -> Int {
    let before = try [left, right].map { try replicas[$0].log.lastPosition() }
    var simulation = try self.simulation(left, right)
    guard let report = try await simulation.run(maxSteps: 5_000) else {
      throw failure("the sync of \(left) and \(right) did not end")
    }
    guard report.refused.isEmpty else {
      throw failure("the sync of \(left) and \(right) refused: \(report.refused)")
    }
    try check(simulation)
    for (place, position) in zip([left, right], before) {
      try note(after: position, of: replicas[place].log)
    }
    return report.eventsSent + report.eventsReceived + report.repaired + report.repairedThere
  }

  /// Checks that all replicas have equal vectors, digests and states, and the state of a plain fold
  /// of all events written.
  ///
  /// No event may be lost, and no erased payload restored.
  func check() async throws {
    let vectors = try replicas.map { Set(try $0.log.branches().map(\.headID)) }
    guard Set(vectors).count == 1 else { throw failure("vectors differ") }
    let held = try ids(of: replicas[0].log)
    let lost = acknowledged.subtracting(held)
    guard lost.isEmpty else { throw failure("\(lost.count) acknowledged events are lost") }
    let strangers = held.subtracting(written.keys)
    guard strangers.isEmpty else { throw failure("\(strangers.count) events were never written") }
    let payloadsLost = try payloadsLost(held)
    // A replica whose copy of the payload was lost still knows what the event closed.
    let open = try Set(replicas.map { VersionVector(branches: try $0.log.branches()) })
    guard open.count == 1 || !payloadsLost.isEmpty else { throw failure("open heads differ") }
    let whole = held.subtracting(payloadsLost)
    var fold = ReferenceFold()
    for id in whole.sorted() {
      if let event = written[id] { fold.apply(event) }
    }
    try await checkProjections(fold)
    try checkErasures(whole)
  }

  /// Returns the events whose payload is lost on every replica: others received them without it,
  /// because of damage or a lost erasure, and their writer was restored from a backup.
  private func payloadsLost(_ held: Set<EventID>) throws -> Set<EventID> {
    var lost: [EventID: Int] = [:]
    for replica in replicas {
      try replica.log.scan(after: .start) { event in
        let isLost = event.redacted.map { !held.contains($0.erasure) } ?? event.isMissing
        if isLost { lost[event.id, default: 0] += 1 }
        return true
      }
    }
    return Set(lost.filter { $0.value == replicas.count }.keys)
  }

  private func checkProjections(_ fold: ReferenceFold) async throws {
    let folded = fold.state()
    var digests: Set<StateDigest> = []
    for (place, replica) in replicas.enumerated() {
      let (digest, state) = try await replica.projections.read {
        (try $0.stateDigest(), try $0.state(range: nil))
      }
      digests.insert(digest)
      guard state == folded else {
        throw failure("the state of replica \(place) differs from the plain fold's")
      }
    }
    guard digests.count == 1 else { throw failure("there are \(digests.count) different digests") }
  }

  /// Checks that every covered event is redacted on every replica, and that every other is intact.
  private func checkErasures(_ whole: Set<EventID>) throws {
    let payloads = whole.compactMap { id in
      // An erasure covers no event that cannot be read.
      written[id].map { (id, try? PayloadCoding.decode($0.payload)) }
    }
    let erasures = payloads.compactMap { id, payload in
      if case .dataErased(let erasure)? = payload { (id, erasure) } else { nil }
    }
    let covered = Set(
      payloads.filter { id, payload in
        payload.map { payload in erasures.contains { $0.1.covers(payload, of: id) } } ?? false
      }.map(\.0))
    for (place, replica) in replicas.enumerated() {
      try replica.log.scan(after: .start) { event in
        guard whole.contains(event.id) else { return true }
        guard !event.isMissing else {
          throw failure("replica \(place) holds only the ID of \(event.id)")
        }
        guard (event.redacted != nil) == covered.contains(event.id) else {
          throw failure(
            event.redacted == nil
              ? "replica \(place) still holds the payload of \(event.id), which was erased"
              : "replica \(place) lacks the payload of \(event.id), which was not erased")
        }
        return true
      }
    }
  }
}
