package import CarillonModel
internal import CarillonWire

/// Facts in the log that the projections no longer retain.
package struct ExpiredFacts: Hashable, Sendable {
  /// The erasure's scope: facts of one source, up to the last expired one.
  package let scope: Erasure.Scope
  /// The number of expired events.
  package let count: Int
}

extension SQLiteProjections {
  /// Returns the expired items, receipts and responses in the log, by source.
  ///
  /// A fact counts only if it is older than every retained fact of its source, whichever replica
  /// wrote it. An erasure up to the last counted fact therefore removes no retained fact.
  ///
  /// - Throws: `ProjectionError`; `LogError` from the log; `CancellationError`.
  /// - Complexity: O(events), with memory for the sources only.
  package func expiredFacts() async throws -> [ExpiredFacts] {
    let oldest = try await read { try $0.oldestKept() }
    guard !oldest.isEmpty else { return [] }
    var found: [FactSource: (count: Int, last: EventID)] = [:]
    var isCancelled = false
    try log.scanIntact(after: .start) { event in
      guard event.redacted == nil, let source = FactSource(ofFactsIn: event),
        let kept = oldest[source]
      else { return true }
      if event.id < kept {
        let before = found[source]
        found[source] = ((before?.count ?? 0) + 1, max(before?.last ?? event.id, event.id))
      }
      isCancelled = Task.isCancelled
      return !isCancelled
    }
    if isCancelled { throw CancellationError() }
    return found.compactMap { source, past in
      source.erasure(upTo: past.last).map { ExpiredFacts(scope: $0, count: past.count) }
    }.sorted { "\($0.scope)" < "\($1.scope)" }
  }
}

extension ProjectionReader {
  /// Returns the least event of the retained facts, by source.
  fileprivate func oldestKept() throws -> [FactSource: EventID] {
    let rows = try connection.prepare(
      """
      SELECT 2, source, min(event) FROM item GROUP BY source
      UNION ALL SELECT kind, source, min(event) FROM receipt WHERE kind < 3 GROUP BY kind, source
      UNION ALL SELECT kind, source, min(event) FROM response WHERE kind < 3 GROUP BY kind, source
      """)
    var oldest: [FactSource: EventID] = [:]
    while try rows.step() {
      let source: FactSource =
        rows.integer(0) == 1
        ? .habit(try rows.id(1)) : .items(Array(try rows.text(1).utf8))
      let event = try rows.eventID(2)
      oldest[source] = min(oldest[source] ?? event, event)
    }
    return oldest
  }
}

extension FactSource {
  /// Returns the source of the facts in an event; nil if it has none or cannot be read.
  fileprivate init?(ofFactsIn event: RawEvent) {
    guard let payload = try? PayloadCoding.decode(event.payload) else { return nil }
    switch payload.erasureSubject {
    case .source(let source): self = .items(Array(source.utf8))
    case .receipt(let habit): self = .habit(habit)
    case .habit, .none: return nil
    }
  }

  fileprivate func erasure(upTo last: EventID) -> Erasure.Scope? {
    switch self {
    case .habit(let habit): .receipts(of: habit, upTo: last)
    case .items(let source): .items(source: String(decoding: source, as: UTF8.self), upTo: last)
    case .pushes: nil
    }
  }
}
