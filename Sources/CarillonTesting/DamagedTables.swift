internal import Carillon
internal import CarillonModel
package import Foundation

/// A small store whose projection file is damaged a bit at a time, as a bad disk does.
///
/// The store holds something in every table that an answer is made of, and a kept plan. A flip is
/// made in the file of a store that nobody has open; then the store is opened, asked everything,
/// and closed. The next flip begins with the same file again.
package struct DamagedTables: Sendable {
  /// What became of a flip.
  package enum Outcome: Hashable, Sendable {
    /// All answers were the right ones, and the file stayed.
    case unseen
    /// All answers were the right ones, from projections that were built anew.
    case repaired
    /// A question was refused.
    case refused(String)
    /// An answer was another one, which nobody was told.
    case wrong(String)
  }

  private let home: URL
  private let options: StoreOptions
  private let habits: [HabitID]
  private let content: Data
  private let expected: Answers

  /// How many bits there are to flip.
  package var bitCount: Int { content.count * 8 }

  /// Makes the store in a directory that is not there yet.
  package init(at home: URL) async throws {
    self.home = home
    guard let zone = TimeZone(identifier: "Europe/Berlin") else {
      throw CocoaError(.featureUnsupported)
    }
    let clock = ManualClock("2026-11-23T08:00:00Z")
    options = StoreOptions(clock: { clock.now }, zone: { zone })
    let store = try await Store.create(at: home, replica: "phone", options: options)
    habits = try await Self.fill(store, clock, zone)
    _ = try await store.plan()
    _ = try await store.status()
    await store.close()
    // What reading itself changes, such as the kept digest, is changed once.
    let again = try await Store.open(at: home, options: options)
    expected = try await Answers(again, habits)
    await again.close()
    content = try Data(contentsOf: Self.file(in: home))
  }

  /// Flips a bit of the file and asks everything.
  ///
  /// - Parameter bit: From 0.
  /// - Throws: Where the file cannot be changed.
  package func flip(_ bit: Int) async throws -> Outcome {
    let file = try Self.file(in: home)
    var damaged = content
    damaged[bit / 8] ^= 1 << (bit % 8)
    try damaged.write(to: file)
    do {
      let store = try await Store.open(at: home, options: options)
      let answers = await Result { try await Answers(store, habits) }
      await store.close()
      if let difference = try answers.get().firstDifference(from: expected) {
        return .wrong(difference)
      }
    } catch let error as StoreError {
      return .refused("\(error)")
    }
    return try Self.file(in: home) == file ? .unseen : .repaired
  }

  /// The only projection file of a store that nobody has open.
  package static func file(in home: URL) throws -> URL {
    let files = try FileManager.default.contentsOfDirectory(
      at: home, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "sqlite" }
    guard files.count == 1 else { throw CocoaError(.fileReadCorruptFile) }
    return files[0]
  }

  /// Two weeks of a person's life.
  private static func fill(
    _ store: Store, _ clock: ManualClock, _ zone: TimeZone
  ) async throws -> [HabitID] {
    try await store.setPermission(Permission(status: .authorized, options: [.alert, .sound]))
    try await store.set(.digest, to: "3/300s")
    try await store.set(.quietHours, to: "22:00-07:00")
    let walk = try await store.add(Habit("Walk", .daily(at: ["07:30", "17:00"], unless: .done)))
    let read = try await store.add(Habit("Read", .weekly(on: [.monday, .friday], at: ["21:00"])))
    let scheduler = StandInScheduler(clock: clock, zone: zone)
    for day in 0..<14 {
      try await store.apply(to: scheduler)
      clock.advance(seconds: 9 * 3_600)
      try await store.apply(to: scheduler)
      if day % 3 != 0 { try await store.markDone(walk.id) }
      if day % 4 == 0 { try await store.skip(read.id) }
      _ = try await store.receive(Array(#"{"aps":{"alert":"Day \#(day)"},"id":"\#(day)"}"#.utf8))
      clock.advance(seconds: 15 * 3_600)
    }
    try await store.pause(read.id)
    try await store.resume(read.id)
    return [walk.id, read.id]
  }
}

/// What a store answers to everything that a person may ask.
private struct Answers {
  private let plan: Plan
  private let habits: [Habit]
  private let receipts: [Receipt]
  private let explanations: [[Explanation]]
  private let status: StoreStatus
  private let settings: StoreSettings
  private let state: State

  init(_ store: Store, _ ids: [HabitID]) async throws {
    plan = try await store.plan()
    habits = try await store.habits(includingArchived: true, includingDeleted: true)
    receipts = try await store.receipts()
    var explanations: [[Explanation]] = []
    for id in ids { explanations.append(try await store.explain(id)) }
    self.explanations = explanations
    settings = try await store.settings()
    state = try await store.state()
    // Projections that were built anew meanwhile keep no plan until one is asked for.
    _ = try await store.status()
    _ = try await store.plan()
    status = try await store.status()
  }

  /// The name of the first answer that is another one.
  func firstDifference(from other: Answers) -> String? {
    if plan.requests != other.plan.requests || plan.coverageUntil != other.plan.coverageUntil
      || plan.dropped != other.plan.dropped || plan.blocked != other.plan.blocked
      || plan.validUntil != other.plan.validUntil || plan.problems != other.plan.problems
    {
      return "plan"
    }
    if habits != other.habits { return "habits" }
    if receipts != other.receipts { return "receipts" }
    if explanations != other.explanations { return "explanations" }
    if status != other.status { return "status" }
    if settings != other.settings { return "settings" }
    return state != other.state ? "state" : nil
  }
}

extension Result where Failure == any Error {
  fileprivate init(catching work: () async throws -> Success) async {
    do {
      self = .success(try await work())
    } catch {
      self = .failure(error)
    }
  }
}
