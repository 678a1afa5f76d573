#if Service
internal import CarillonHub
internal import CarillonModel

/// A failure of the database, the cause of the error that callers receive.
struct PostgresFailure: Error, RetryCause {
  /// The SQLSTATE; nil if the server did not answer.
  let state: String?
  /// When to try again; nil if that does not help.
  let retryAfter: Duration?
  /// Whether another database has the store now, or will have it soon.
  var isMove = false
  var isUnreachable = false
}

extension LogError {
  static func shardMoved(_ store: StoreID) -> LogError {
    LogError(
      code: .busy, message: "the log of store \(store) is moving to another database",
      cause: PostgresFailure(state: nil, retryAfter: .seconds(1), isMove: true))
  }

  /// Whether the store is in another database, or on its way there.
  var isMove: Bool { (cause as? PostgresFailure)?.isMove ?? false }

  static func busy(_ problem: String, retryAfter: Duration) -> LogError {
    LogError(
      code: .busy, message: "the database is busy: \(problem)",
      cause: PostgresFailure(state: nil, retryAfter: retryAfter))
  }

  static func unreachable(_ problem: String, retryAfter: Duration) -> LogError {
    LogError(
      code: .busy, message: "the database cannot be reached: \(problem)",
      cause: PostgresFailure(state: nil, retryAfter: retryAfter, isUnreachable: true))
  }

  static func unknownOutcome(_ problem: String) -> LogError {
    LogError(
      code: .unknownOutcome, message: "it is unknown whether the commit happened: \(problem)",
      hint: "do the same again", cause: PostgresFailure(state: nil, retryAfter: nil))
  }

  /// Creates an error for a statement that the server refused.
  static func postgres(_ state: String, _ message: String, retryAfter: Duration) -> LogError {
    let code: Code =
      switch state.prefix(2) {
      // Too many connections or locks, a deadlock, a server that starts, stops or is a standby.
      case "40", "55", "57", "08": .busy
      case "53": state == "53100" ? .full : .busy
      case "25": .readOnly
      case "22", "23", "42": .corrupt
      default: .io
      }
    return LogError(
      code: code, message: "the database refused a statement: \(message)",
      cause: PostgresFailure(state: state, retryAfter: code == .busy ? retryAfter : nil))
  }
}
#endif
