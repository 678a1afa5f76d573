import CarillonModel
import CarillonSQLite
import CarillonWire
import Logging

/// Taking covered payloads out of the log, beside what was asked for: where it cannot be done now,
/// it is done another time, and nothing that is covered shows in between.
extension Store {
  /// Sweeps where the projections are open and noted that something is due.
  func sweepIfDue() async {
    await sweeping { try self.tables.isSweepDue() }
  }

  /// Sweeps where events after a position erase something, or may be covered.
  ///
  /// A sync of many events that erase nothing does not wait for the projections.
  private func sweep(after position: Position) async {
    await sweeping {
      try self.tables.knowsErasures() || self.erasesSomething(after: position)
    }
  }

  /// Opens the projections and runs what may bring events, then sweeps what came; also where it
  /// failed.
  func sweepingWhatComes<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    _ = try await projections
    let end = try log.lastPosition()
    do {
      let result = try await body()
      await sweep(after: end)
      return result
    } catch {
      await sweep(after: end)
      throw error
    }
  }

  /// Sweeps, and gives how many payloads left the log.
  @discardableResult
  func sweepNow() async -> Int {
    await sweeping { true }
  }

  /// Sweeps where that is due, and gives how many payloads left the log.
  @discardableResult
  private func sweeping(where isDue: () throws -> Bool) async -> Int {
    do {
      guard try isDue() else { return 0 }
    } catch {
      // Nothing tells of an erasure, and whatever is wrong is told by the verb itself.
      logger.debug("whether payloads are erased could not be looked up: \(error)")
      return 0
    }
    do {
      return try await tables.sweep()
    } catch is CancellationError {
      logger.debug("the sweep was cancelled; the next one goes on")
    } catch let error as ProjectionError where error.code == .closed {
      // Closed before: whoever opens the store next sweeps.
    } catch {
      logger.warning("erased payloads are still in the log: \(error); they go another time")
    }
    return 0
  }

  /// Whether events after a position erase something or were erased.
  private func erasesSomething(after position: Position) throws -> Bool {
    var isFound = false
    try log.scan(after: position) { event in
      isFound = event.redacted != nil || Self.erases(event.payload)
      return !isFound
    }
    return isFound
  }

  /// Whether a payload is of the kind `data.erased`; one that cannot be read erases nothing.
  private static func erases(_ payload: UnsafeRawBufferPointer) -> Bool {
    do throws(ModelError) {
      return try PayloadCoding.kind(of: payload) == .dataErased
    } catch {
      return false
    }
  }
}
