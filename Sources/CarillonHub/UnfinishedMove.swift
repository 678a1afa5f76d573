#if Service
package import CarillonModel

/// The cause of an error about a shard whose move runs, or was interrupted.
package struct UnfinishedMove: Error, RetryCause {
  package let shard: Int
  /// The group that the shard is being moved to, or was moved to.
  package let target: String

  package var retryAfter: Duration? { .seconds(1) }
  package var obstacle: HubObstacle? { nil }
  package var isMove: Bool { true }

  package init(of shard: Int, to target: String) {
    (self.shard, self.target) = (shard, target)
  }
}

extension LogError {
  /// Creates the error for a call that must wait until a move has ended; nothing was done.
  package static func busy(_ message: String, until move: UnfinishedMove) -> LogError {
    LogError(code: .busy, message: message, hint: "finish that move first", cause: move)
  }
}
#endif
