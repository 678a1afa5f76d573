package import CarillonModel
package import CarillonSQLite

extension Store {
  /// Writes a batch of events, decided on the newest state, in one transaction.
  ///
  /// A batch does not count as activity of the person. It is decided again if another writer came
  /// first.
  ///
  /// - Parameter decide: Reads the projections, and returns the payloads and a result.
  /// - Returns: The result of the decision that was written, and the position of the last event on
  ///   which it was decided or that it wrote.
  @discardableResult
  package func writeBatch<Result: Sendable>(
    _ decide: @escaping @Sendable (ProjectionReader) throws -> (payloads: [Payload], result: Result)
  ) async throws -> (result: Result, last: LogPosition) {
    let decided = Locked<(Result, LogPosition)?>(nil)
    let written = try await write(isActivity: false) { context in
      let (payloads, result) = try decide(context.reader)
      decided.set((result, context.reader.position))
      return Decision(payloads: payloads, needsState: true)
    }
    guard let (result, position) = decided.value else {
      preconditionFailure("no batch was decided")
    }
    return (result, written.events.last?.position ?? position)
  }

  /// Writes a batch of events without reading the projections, unless another event was written
  /// after a position.
  ///
  /// - Returns: The position of the last written event; nil if nothing was written because of
  ///   another event.
  package func writeBatch(
    _ payloads: [Payload], ifLastIs position: LogPosition
  ) async throws -> LogPosition? {
    guard !payloads.isEmpty else { return position }
    let now = options.clock()
    // A span reads its elements without copying them.
    let span = payloads.span
    let events = try span.indices.map { try NewEvent(span[$0], at: now) }
    let outcome = try await log.record(events, wallClock: now, expecting: position)
    guard case .recorded(let recorded) = outcome else { return nil }
    return recorded.events.last?.position
  }

  /// Applies the events that were written to the projections.
  package func applyWritten() async throws {
    _ = try await projections.catchUp()
  }
}
