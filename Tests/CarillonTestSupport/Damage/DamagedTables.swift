internal import Carillon
internal import CarillonModel
internal import CarillonTesting
package import Foundation

/// A small store whose projection file is damaged one bit at a time, as by a bad disk.
///
/// Every table used by a query has rows, and the store has a kept plan. Each flip changes the file
/// of a store that no process has open. Then the store is opened, queried completely and closed.
/// The next flip starts from the original file.
package struct DamagedTables: Sendable {
  /// The outcome of a flip.
  package enum Outcome: Hashable, Sendable {
    /// All results were correct, and the file was kept.
    case unseen
    /// All results were correct, and the projections were rebuilt.
    case repaired
    /// A query threw an error.
    case refused(String)
    /// A result was wrong, and no error was thrown.
    case wrong(String)
  }

  private let home: URL
  private let options: StoreOptions
  private let habits: [HabitID]
  private let content: Data
  private let expected: Answers

  /// The number of bits that can be flipped.
  package var bitCount: Int { content.count * 8 }

  /// Creates the store in a directory that does not exist yet.
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
    _ = try await store.stateDigest()
    await store.close()
    // Reading itself changes the file once, for example the kept digest.
    let again = try await Store.open(at: home, options: options)
    expected = try await Answers(again, habits)
    await again.close()
    content = try Data(contentsOf: Self.file(in: home))
  }

  /// Flips a bit of the file, and runs all queries.
  ///
  /// - Parameter bit: The index of the bit, from 0.
  /// - Throws: If the file cannot be changed.
  package func flip(_ bit: Int) async throws -> Outcome {
    let file = try Self.file(in: home)
    var damaged = content
    damaged[bit / 8] ^= 1 << (bit % 8)
    try Self.replace(file, with: damaged)
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

  /// The only projection file of a store that no process has open.
  package static func file(in home: URL) throws -> URL {
    let files = try FileManager.default.contentsOfDirectory(
      at: home, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "sqlite" }
    guard files.count == 1 else { throw CocoaError(.fileReadCorruptFile) }
    return files[0]
  }

  /// Replaces a file of a store that no process has open, and removes SQLite's own files.
  package static func replace(_ file: URL, with content: Data) throws {
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
    try content.write(to: file)
  }

  /// Records two weeks of a person's use.
  private static func fill(
    _ store: Store, _ clock: ManualClock, _ zone: TimeZone
  ) async throws -> [HabitID] {
    try await store.setPermission(Permission(status: .authorized, options: [.alert, .sound]))
    try await store.set([.digest: "3/300s"])
    try await store.set([.quietHours: "22:00-07:00"])
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

/// The results of all queries of a store.
private struct Answers {
  private let plan: NotificationPlan
  private let habits: [Habit]
  private let receipts: [Receipt]
  private let explanations: [[Explanation]]
  private let status: StoreStatus
  private let digest: StateDigest
  private let settings: StoreSettings
  private let state: StoreState

  init(_ store: Store, _ ids: [HabitID]) async throws {
    plan = try await store.plan()
    habits = try await store.habits(includingArchived: true, includingDeleted: true)
    receipts = try await store.receipts()
    var explanations: [[Explanation]] = []
    for id in ids { explanations.append(try await store.explain(id)) }
    self.explanations = explanations
    settings = try await store.settings()
    state = try await store.state()
    digest = try await store.stateDigest()
    // Projections that were rebuilt, also by the first status, have no plan until one is requested.
    _ = try await store.status()
    _ = try await store.plan()
    status = try await store.status()
  }

  /// Returns the name of the first result that differs.
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
    if digest != other.digest { return "digest" }
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
