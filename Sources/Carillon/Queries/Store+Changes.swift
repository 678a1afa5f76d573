import CarillonLog
import CarillonModel
import Logging

extension Store {
  /// Returns a stream that yields once at the start, and again whenever the log may have grown.
  ///
  /// It yields immediately after this process appends, and within 250 ms after another process
  /// does.
  ///
  /// All streams of a store share one task that watches the log; it runs only while something
  /// listens. The stream ends when the store is closed, when the task is cancelled, or when
  /// a check of the store's files fails.
  public func changes() -> AsyncStream<Void> {
    growth.stream(startingWith: ())
  }

  /// Calls `send` whenever the log may have grown, until the log is closed or a
  /// check of its files fails.
  static func watchGrowth(
    of log: any EventLog, _ logger: Logger, _ send: @escaping @Sendable () -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await _ in log.appends() { send() }
      }
      group.addTask { await pollOtherProcesses(log, logger, send) }
      _ = await group.next()
      group.cancelAll()
    }
  }

  private static func pollOtherProcesses(
    _ log: any EventLog, _ logger: Logger, _ send: @Sendable () -> Void
  ) async {
    var seen: LogPosition?
    while !Task.isCancelled {
      do {
        do {
          try (log as? any StoredLog)?.checkFiles()
        } catch let error as LogError where error.code != .busy {
          // The follower of a stream checks the files again and reports what is wrong.
          return
        }
        let last = try log.lastPosition()
        if last != seen { send() }
        seen = last
        try await Task.sleep(for: .milliseconds(250))
      } catch let error as LogError where error.code != .closed {
        logger.warning("cannot check whether the log grew: \(error); trying again")
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      } catch {
        // Closed or cancelled: there are no further events.
        return
      }
    }
  }
}
