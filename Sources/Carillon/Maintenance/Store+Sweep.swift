import CarillonModel
import CarillonSQLite
import CarillonWire
import Logging

/// Sweeping removes erased payloads from the log in addition to what a verb does.
///
/// A sweep that fails is repeated later; until then erased data does not appear in any result.
extension Store {
  /// Sweeps if the projections are open and have recorded that a sweep is due.
  func sweepIfDue() async {
    await sweeping { try self.unopenedProjections.isSweepDue() }
  }

  /// Sweeps if events after a position erase something or may have been erased.
  ///
  /// A sync of many events that erase nothing does not wait for the projections.
  private func sweep(after position: LogPosition) async {
    await sweeping {
      try self.unopenedProjections.knowsErasures() || self.erasesSomething(after: position)
    }
  }

  /// Opens the projections, runs a body that may add events, and sweeps those events, even if the
  /// body throws.
  func sweepingAddedEvents<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    guard hasContents else { return try await body() }
    _ = try await projections
    let end = try log.lastPosition()
    do {
      let result = try await body()
      try await useNewKeys()
      await sweep(after: end)
      return result
    } catch {
      await sweep(after: end)
      throw error
    }
  }

  /// Sweeps, and returns the number of payloads removed from the log.
  @discardableResult
  func sweepNow() async -> Int {
    await sweeping { true }
  }

  /// Sweeps if that is due, and returns the number of payloads removed from the log.
  @discardableResult
  private func sweeping(where isDue: () throws -> Bool) async -> Int {
    do {
      guard try isDue() else { return 0 }
    } catch {
      // No erasure is known, and the verb itself reports whatever is wrong.
      logger.debug("cannot check whether a sweep is due: \(error)")
      return 0
    }
    do {
      return try await unopenedProjections.sweep()
    } catch is CancellationError {
      logger.debug("the sweep was cancelled; the next one continues")
    } catch let error as ProjectionError where error.code == .closed {
      // Closed before the sweep; the next process that opens the store sweeps.
    } catch {
      logger.warning("cannot remove erased payloads from the log: \(error); trying again later")
    }
    return 0
  }

  /// Whether an event after a position erases something or was redacted.
  private func erasesSomething(after position: LogPosition) throws -> Bool {
    var isFound = false
    try log.scan(after: position) { event in
      isFound = event.redacted != nil || Self.erases(event.payload)
      return !isFound
    }
    return isFound
  }

  /// Whether a payload is of the kind `data.erased`.
  ///
  /// One that cannot be read erases nothing.
  private static func erases(_ payload: UnsafeRawBufferPointer) -> Bool {
    do throws(ModelError) {
      return try PayloadCoding.kind(of: payload) == .dataErased
    } catch {
      return false
    }
  }
}
