import GRDBSQLite

/// Ends the reading of a stranger's database that takes too long, or whose task was cancelled.
///
/// A damaged or crafted file of a few pages can describe endless rows.
final class ReadingDeadline {
  /// The time that a reading may take, unless another is given.
  static let limit = Duration.seconds(30)
  /// The number of steps of SQLite between two checks: well below a millisecond.
  private static let stepCount: Int32 = 10_000

  private let limit: Duration
  private var end: ContinuousClock.Instant

  init(limit: Duration = ReadingDeadline.limit) {
    self.limit = limit
    end = .now + limit
  }

  /// Gives the next reading its full time.
  func restart() {
    end = .now + limit
  }

  /// Checks the deadline during every statement of a connection, which must be closed first.
  func watch(_ connection: OpaquePointer) {
    sqlite3_progress_handler(
      connection, Self.stepCount,
      { context in
        guard let context else { return 0 }
        let deadline = Unmanaged<ReadingDeadline>.fromOpaque(context).takeUnretainedValue()
        return deadline.isOver ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Returns the reason why SQLite was interrupted.
  func reason(name: String) -> any Error {
    Task.isCancelled
      ? CancellationError()
      : LoopDatabase.refusal(
        "\(name) cannot be read within \(limit.components.seconds) seconds")
  }

  /// Whether reading must end.
  var isOver: Bool { Task.isCancelled || ContinuousClock.now >= end }
}
