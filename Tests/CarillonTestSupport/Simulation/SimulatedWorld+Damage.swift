internal import CarillonModel
internal import CarillonSQLite
internal import CarillonSync
internal import Foundation

/// Failures of files: flipped bits, and torn commits.
extension SimulatedWorld {
  /// Flips bits in the file of a log, in events that another, undamaged replica holds too.
  mutating func damage(_ place: Int) async throws {
    guard let directory = replicas[place].disk.directory else { return }
    var elsewhere: Set<EventID> = []
    for (index, replica) in replicas.enumerated() where index != place && !replica.isDamaged {
      try replica.log.scan(after: .start) { event in
        if !event.isMissing { elsewhere.insert(event.id) }
        return true
      }
    }
    var records: [DamagedFile.Record] = []
    try replicas[place].log.scan(after: .start) { event in
      if !event.isMissing, elsewhere.contains(event.id) {
        records.append(DamagedFile.Record(event))
      }
      return true
    }
    guard let first = records.indices.randomElement(using: &random) else { return }
    let part: DamagedFile.Part = random.oneIn(3) ? .id : .content
    let count = random.oneIn(3) ? Int.random(in: 2...5, using: &random) : 1
    let chosen = records[first...].prefix(count)
    end(syncsOf: place)
    replicas[place].isDamaged = true
    try await replicas[place].restart { _ in
      for record in chosen {
        let byte = Int.random(in: 0..<record.byteCount(part), using: &random)
        try DamagedFile.flip(part, byte, of: record, in: directory)
      }
    }
  }

  /// Audits until no replica is damaged; every damaged event is intact on some replica.
  mutating func repair() async throws {
    for _ in replicas.indices {
      for place in replicas.indices where replicas[place].isDamaged {
        for other in replicas.indices where other != place {
          try await audit(place, other)
        }
      }
      try await repairDamage()
      if !replicas.contains(where: \.isDamaged) { return }
    }
    for (place, replica) in replicas.enumerated() where replica.isDamaged {
      throw failure(
        "damage of replica \(place) was not repaired: \(try replica.log.damagedEvents())")
    }
  }

  private mutating func audit(_ place: Int, _ other: Int) async throws {
    let (initiator, responder) = random.oneIn(2) ? (place, other) : (other, place)
    let before = try [initiator, responder].map { try replicas[$0].log.lastPosition() }
    var simulation = try simulation(initiator, responder, audits: true)
    guard try await simulation.run(maxSteps: 5_000) != nil else {
      throw failure("the audit of \(initiator) and \(responder) did not end")
    }
    try check(simulation)
    for (place, position) in zip([initiator, responder], before) {
      try note(after: position, of: replicas[place].log)
    }
  }

  /// Rebuilds the projections of replicas whose log is no longer damaged.
  private mutating func repairDamage() async throws {
    for place in replicas.indices where replicas[place].isDamaged {
      guard try replicas[place].log.damagedEvents().isEmpty else { continue }
      replicas[place].isDamaged = false
      _ = try await replicas[place].projections.rebuild()
    }
  }

  /// Stops the machine while events are written, and checks that the log is unchanged.
  mutating func crashWriting(at place: Int) async throws {
    guard let directory = replicas[place].disk.directory else { return }
    let replica = replicas[place]
    let before = try LogFacts(replica.log)
    let commit = try TornCommit(before: directory)
    let events = (0..<Int.random(in: 1...40, using: &random)).map { number in
      NewEvent(payload: Array("not acknowledged \(number)".utf8))
    }
    _ = try await replica.log.record(events, wallClock: replica.clock, expecting: nil)
    let torn = try commit.files(using: &random)
    try await replicas[place].restart { _ in
      for (file, data) in torn { try data.write(to: file) }
    }
    guard try LogFacts(replicas[place].log) == before else {
      throw failure("a torn commit changed the log of replica \(place)")
    }
  }
}

/// The parts of a log that a commit may change.
private struct LogFacts: Equatable {
  private var events: [StoredEvent] = []
  private let branches: [Branch]
  private let identity: ReplicaIdentity

  init(_ log: any EventLog) throws {
    branches = try log.branches()
    identity = try log.identity()
    try log.scan(after: .start) { event in
      events.append(event.event)
      return true
    }
  }
}
