import Carillon
import CarillonModel
import CarillonSQLite

/// Writes the records of an import, most of them without reading the projections.
///
/// A habit that had no records when the import started has only those that the import itself wrote,
/// as long as no other event was written. So nothing needs to be read to add entries and marks to
/// it, and the projections are updated meanwhile, in larger batches. All other records wait until
/// there are enough to be worth a query, which reads the newest state.
struct ForeignDayWriter {
  private let store: Store
  /// The name of the source.
  private let source: String
  /// The habits without records at ``last``, apart from those that this writer wrote.
  private var blank: Set<HabitID>
  /// The last event of the log when it was last known.
  private var last: LogPosition
  /// The records that need a query.
  private var waiting: [ForeignDay] = []
  /// The update of the projections that was started last.
  private var update: Task<Void, any Error>?
  /// The number of events that were written since.
  private var unappliedCount = 0

  /// The number of events after which the projections are updated: as many as one transaction of
  /// theirs applies.
  private static let eventsPerUpdate = 20_000

  init(_ store: Store, from source: String, _ habits: [HabitID]) async throws {
    self.store = store
    self.source = source
    (blank, last) = try await store.writeBatch { reader in
      ([], Set(try reader.habitsWithoutRecords(habits)))
    }
  }

  /// Writes records, or keeps them for a later call.
  ///
  /// - Returns: What was added and what already existed, of the records that were decided.
  mutating func write(_ days: ArraySlice<ForeignDay>) async throws -> ImportReport {
    var plain: [ForeignDay] = []
    plain.reserveCapacity(days.count)
    for day in days {
      if !day.isNote, blank.contains(day.habit) { plain.append(day) } else { waiting.append(day) }
    }
    var report = try await add(plain)
    if waiting.count >= HabitImport.batchCount { report.add(try await decideWaiting()) }
    return report
  }

  /// Writes the records that were kept, and waits for the projections.
  mutating func finish() async throws -> ImportReport {
    let report = try await decideWaiting()
    try await update?.value
    return report
  }

  /// Waits until nothing is done any more.
  func stop() async {
    _ = await update?.result
  }

  // MARK: - Parts

  /// Adds entries and marks of blank habits.
  private mutating func add(_ days: [ForeignDay]) async throws -> ImportReport {
    let batch = HabitImport(adding: days, from: source)
    guard let last = try await store.writeBatch(batch.payloads, ifLastIs: last) else {
      waiting += days
      return ImportReport()
    }
    self.last = last
    unappliedCount += batch.payloads.count
    if unappliedCount >= Self.eventsPerUpdate { try await startUpdate() }
    return batch.report
  }

  /// Decides about the waiting records on the newest state, and finds the blank habits again if
  /// another event was written.
  private mutating func decideWaiting() async throws -> ImportReport {
    try await update?.value
    let (days, source, known, blank) = (waiting, source, last, blank)
    let (outcome, last) = try await store.writeBatch { reader in
      let batch = try HabitImport.decide(days, from: source, reader)
      let blank =
        reader.position == known ? blank : Set(try reader.habitsWithoutRecords(Array(blank)))
      return (batch.payloads, (report: batch.report, blank: blank))
    }
    self.blank = outcome.blank
    self.last = last
    waiting = []
    return outcome.report
  }

  private mutating func startUpdate() async throws {
    try await update?.value
    unappliedCount = 0
    update = Task { [store] in try await store.applyWritten() }
  }
}

extension ForeignDay {
  /// Whether it is a note, which must name the event that it replaces.
  fileprivate var isNote: Bool {
    if case .noted = fact { true } else { false }
  }
}
