public import CarillonModel
import CarillonSQLite

/// The owner of the receipts to erase.
public enum ErasedReceipts: Hashable, Sendable {
  /// All habits and all sources of items.
  case all
  /// A habit: the receipts of its occurrences, and the responses to them.
  case habit(HabitID)
  /// A source of items: its items, their receipts, and the responses to them.
  case source(String)
}

/// The result of an erasure.
public struct ErasureReport: Hashable, Sendable {
  /// The scopes that are erased from now on.
  package let scopes: [Erasure.Scope]
  /// The events that were written.
  public let written: Written
  /// The number of payloads removed from this replica's log.
  package let payloadCount: Int
}

extension Store {
  /// Permanently erases a scope, on this replica and on every replica that syncs.
  ///
  /// It cannot be undone.
  ///
  /// An erasure covers content: it also erases what other replicas have written or will write
  /// within its scope, whenever it arrives. The data is immediately gone from all results, and its
  /// payloads from this replica's log. Copies in unused parts of the files remain until
  /// ``compact(at:isDryRun:options:)``.
  ///
  /// - Parameter scope: What to erase. A scope without a last event permanently closes its subject:
  ///   an item source accepts no new items, and a habit keeps no new receipts. Prefer
  ///   ``eraseReceipts(_:before:)``.
  /// - Returns: What was written, and how many payloads were removed from the log.
  /// - Throws: `notFound` if there is no such habit, `invalidValue`.
  /// - Complexity: O(events).
  @discardableResult
  public func erase(_ scope: Erasure.Scope) async throws(StoreError) -> ErasureReport {
    try await erase { context in
      switch scope {
      case .habit(let habit), .receipts(let habit, _): _ = try context.habit(habit)
      case .items: break
      }
      return [scope]
    }
  }

  /// Erases existing receipts, responses and fetched items, or only those written before a date.
  ///
  /// Later ones are recorded as before. An erased item alerts once more if its source still lists
  /// it. Receipts of remote notifications are kept. Nothing is written for data that an earlier
  /// erasure already covers.
  ///
  /// - Parameters:
  ///   - receipts: The owner of the receipts.
  ///   - date: The first date, in the device's zone, whose receipts are kept. Nil erases everything
  ///     that this replica holds, and everything that other replicas wrote before that.
  /// - Throws: `notFound` if there is no such habit or source, `invalidValue` for a date in the
  ///   future.
  @discardableResult
  public func eraseReceipts(
    _ receipts: ErasedReceipts, before date: CivilDate? = nil
  ) async throws(StoreError) -> ErasureReport {
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
            code: .notFound, message: "no records for source \"\(source)\"",
            reason: .noSource)
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

  /// Writes the erasing events, then removes the payloads.
  private func erase(
    _ scopes: @escaping @Sendable (Context) throws -> [Erasure.Scope]
  ) async throws(StoreError) -> ErasureReport {
    let decided = Locked<[Erasure.Scope]>([])
    let written = try await write { context in
      let scopes = try scopes(context)
      decided.set(scopes)
      return Decision(payloads: scopes.map { .dataErased(Erasure($0)) }, needsState: true)
    }
    guard !decided.value.isEmpty else {
      return ErasureReport(scopes: [], written: written, payloadCount: 0)
    }
    // The written events are valid even if the sweep fails; a later sweep then removes the
    // payloads.
    let count = await sweepNow()
    return ErasureReport(scopes: decided.value, written: written, payloadCount: count)
  }

  /// Returns the greatest event ID that can be before a date; for nil, the greatest ID in the log.
  private func lastEvent(before date: CivilDate?, _ context: Context) throws -> EventID? {
    guard let date else { return try log.branches().map(\.headID).max() }
    let start = CivilCalendar(zone: context.zone).firstInstant(of: date)
    guard start <= context.now else {
      throw StoreError(
        code: .invalidValue,
        message: "before: \(date) is in the future; dates up to today are allowed",
        hint: "use today or an earlier date, or omit it to erase everything")
    }
    return EventID.last(before: start)
  }
}

extension Context {
  /// Returns the scopes that no held erasure covers.
  ///
  /// With a date, an erasure covers a scope if it reaches at least as far. Without a date, any
  /// erasure of the same subject covers it, because the caller has found no remaining data of that
  /// subject.
  fileprivate func uncovered(
    _ scopes: [Erasure.Scope], before date: CivilDate?
  ) throws -> [Erasure.Scope] {
    try scopes.filter { try !reader.holdsErasure(like: $0, reachingAsFar: date != nil) }
  }
}

extension EventID {
  /// Returns the greatest ID whose timestamp is before an instant's millisecond; nil if there is
  /// none.
  fileprivate static func last(before instant: Instant) -> EventID? {
    guard instant.milliseconds > 0 else { return nil }
    let first = Timestamp(milliseconds: instant.milliseconds)
    return EventID(words: (first.rawValue - 1, .max, .max, .max))
  }
}

extension String {
  /// Compares byte for byte, as the names of sources are compared.
  fileprivate func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
