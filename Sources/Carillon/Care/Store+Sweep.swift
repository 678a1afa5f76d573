import CarillonModel
import CarillonSQLite
import CarillonWire
import Logging

/// Taking covered payloads out of the log, beside what was asked for: where it cannot be done now,
/// it is done another time, and nothing that is covered shows in between.
extension Store {
  /// Sweeps where the projections noted that something is due.
  func sweepIfDue() async {
    await sweeping {
      if try self.projections.isSweepDue() { _ = try await self.projections.sweep() }
    }
  }

  /// Sweeps where events after a position erase something, or may be covered.
  ///
  /// A sync of many events that erase nothing does not wait for the projections.
  private func sweep(after position: Position) async {
    await sweeping {
      guard try self.projections.knowsErasures() || self.erasesSomething(after: position) else {
        return
      }
      _ = try await self.projections.sweep()
    }
  }

  /// Runs what may bring events, and sweeps what came; also where it failed.
  func sweepingWhatComes<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
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
  func sweepNow() async -> Int {
    var count = 0
    await sweeping { count = try await self.projections.sweep() }
    return count
  }

  private func sweeping(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch is CancellationError {
      logger.debug("the sweep was cancelled; the next one goes on")
    } catch let error as ProjectionError where error.code == .closed {
      // Closed before: whoever opens the store next sweeps.
    } catch {
      logger.warning("erased payloads are still in the log: \(error); they go another time")
    }
  }

  /// Whether events after a position erase something or were erased.
  private func erasesSomething(after position: Position) throws -> Bool {
    var isFound = false
    try log.scan(after: position) { event in
      isFound = event.bare != nil || Self.erases(event.payload)
      return !isFound
    }
    return isFound
  }

  /// Whether a payload is of the kind `data.erased`; one that cannot be read erases nothing.
  private static func erases(_ payload: UnsafeRawBufferPointer) -> Bool {
    do throws(ModelError) {
      return try PayloadCoding.kindNumber(of: payload) == erasureNumber
    } catch {
      return false
    }
  }

  /// The number of `data.erased` among the kinds of payloads.
  private static let erasureNumber: UInt32 = 27
}
