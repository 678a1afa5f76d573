public import CarillonModel
import CarillonSQLite

/// Whose receipts are erased.
public enum ErasedReceipts: Hashable, Sendable {
  /// Those of all habits and of all sources of items.
  case all
  /// Those of a habit's occurrences, with the responses to them.
  case habit(HabitID)
  /// Those of a source of items, with the items and the responses to them.
  case source(String)
}

/// What was erased.
public struct ErasureReport: Hashable, Sendable {
  /// What is covered from now on.
  public let scopes: [Erasure.Scope]
  /// What was written.
  public let written: Written
  /// How many payloads left this replica's log.
  public let payloadCount: Int
}

extension Store {
  /// Erases something for ever, on every replica that will have synced; nothing undoes it.
  ///
  /// It covers by content: what other replicas wrote or still write too, whenever it comes. At once
  /// it is gone from all that is answered, and its payloads from this replica's log; what the files
  /// hold of them where nothing is stored goes with ``compact(at:isDryRun:options:)``.
  ///
  /// - Parameter scope: What to erase. Without an event up to which it reaches, a source of items
  ///   can take in no more, and the receipts of a habit are no longer kept: prefer
  ///   ``eraseReceipts(_:before:)``.
  /// - Returns: What was written, and how many payloads left the log.
  /// - Throws: `notFound` where there is no such habit, `invalidValue`.
  /// - Complexity: O(events).
  @discardableResult
  public func erase(_ scope: Erasure.Scope) async throws -> ErasureReport {
    try await erase { context in
      switch scope {
      case .habit(let habit), .receipts(let habit, _): _ = try context.habit(habit)
      case .items: break
      }
      return [scope]
    }
  }

  /// Erases receipts, responses and fetched items so far, or those written before a date.
  ///
  /// What is written from now on is kept as before. An item that was erased alerts once more where
  /// its source still lists it. Receipts of remote notifications stay. What an erasure covers
  /// already is not covered once more.
  ///
  /// - Parameters:
  ///   - receipts: Whose.
  ///   - date: The first date, in the device's zone, of which they are kept; nil erases all that
  ///     this replica holds, and what others wrote before that.
  /// - Throws: `notFound` where there is no such habit or source, `invalidValue` for a date ahead.
  @discardableResult
  public func eraseReceipts(
    _ receipts: ErasedReceipts, before date: CivilDate? = nil
  ) async throws -> ErasureReport {
    try await erase { context in
      guard let last = try self.lastEvent(before: date, context) else { return [] }
      switch receipts {
      case .habit(let habit):
        _ = try context.habit(habit)
        let scope = Erasure.Scope.receipts(of: habit, upTo: last)
        if date == nil, try context.reader.receiptHabits().contains(habit) { return [scope] }
        return try context.uncovered([scope], before: date)
      case .source(let source):
        guard try context.reader.itemSources().contains(where: { $0.hasBytes(of: source) }) else {
          throw StoreError(
            code: .notFound, message: "nothing is kept of a source \"\(source)\"",
            hint: "see their names: carillon receipts")
        }
        let scope = Erasure.Scope.items(source: source, upTo: last)
        return date == nil ? [scope] : try context.uncovered([scope], before: date)
      case .all:
        let scopes: [Erasure.Scope] =
          try context.reader.itemSources().map { .items(source: $0, upTo: last) }
          + context.reader.receiptHabits().map { .receipts(of: $0, upTo: last) }
        return date == nil ? scopes : try context.uncovered(scopes, before: date)
      }
    }
  }

  /// Writes what covers, then takes the payloads away.
  private func erase(
    _ scopes: @escaping @Sendable (Context) throws -> [Erasure.Scope]
  ) async throws -> ErasureReport {
    let decided = Locked<[Erasure.Scope]>([])
    let written = try await write { context in
      let scopes = try scopes(context)
      decided.set(scopes)
      return Decision(payloads: scopes.map { .dataErased(Erasure($0)) }, needsState: true)
    }
    guard !decided.value.isEmpty else {
      return ErasureReport(scopes: [], written: written, payloadCount: 0)
    }
    // What was written holds whatever becomes of the sweep; where it fails, another one follows.
    let count = await sweepNow()
    return ErasureReport(scopes: decided.value, written: written, payloadCount: count)
  }

  /// The greatest event ID that can be before a date; of nil, the greatest in the log.
  private func lastEvent(before date: CivilDate?, _ context: Context) throws -> EventID? {
    guard let date else { return try log.branches().map(\.headID).max() }
    let start = CivilCalendar(zone: context.zone).firstInstant(of: date)
    guard start <= context.now else {
      throw StoreError(
        code: .invalidValue, message: "before: \(date) is ahead; up to today is allowed",
        hint: "give a date that has begun, or none for all there is")
    }
    return EventID.last(before: start)
  }
}

extension Context {
  /// Those that no held erasure covers: up to the same event, or, without a date, up to any, where
  /// nothing of them is held any more.
  fileprivate func uncovered(
    _ scopes: [Erasure.Scope], before date: CivilDate?
  ) throws -> [Erasure.Scope] {
    try scopes.filter { try !reader.holdsErasure(like: $0, reachingAsFar: date != nil) }
  }
}

extension EventID {
  /// The greatest ID whose timestamp is before an instant's millisecond; nil where none is.
  fileprivate static func last(before instant: Instant) -> EventID? {
    guard instant.milliseconds > 0 else { return nil }
    let first = Timestamp(milliseconds: instant.milliseconds)
    return EventID(words: (first.rawValue - 1, .max, .max, .max))
  }
}

extension String {
  /// Equal byte for byte, as sources are told apart.
  fileprivate func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
