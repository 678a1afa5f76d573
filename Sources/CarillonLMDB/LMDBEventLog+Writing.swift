internal import CarillonLog
package import CarillonModel

// The protocol documents these methods.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension LMDBEventLog {
  package func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?
  ) async throws -> RecordOutcome {
    try await openWriter.record(
      events, wallClock: wallClock, expecting: head, announcement: currentAnnouncement)
  }

  package func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent]
  ) async throws -> Recorded? {
    try await openWriter.record(
      wallClock: wallClock, announcement: currentAnnouncement, deciding: deciding)
  }

  package func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    try await openWriter.append(
      runs, wallClock: wallClock, erasures: erasures, announcement: currentAnnouncement)
  }

  package func erase(_ erased: [ErasedPayload]) async throws -> Int {
    try await openWriter.erase(erased)
  }

  package func moveProjectionGeneration(
    from current: UInt64, to next: UInt64
  ) async throws -> Bool {
    try await openWriter.moveProjectionGeneration(from: current, to: next)
  }

  private var openWriter: LogWriter<LMDBBackend> {
    get throws {
      try checkOpen()
      return log.writer
    }
  }
}
