#if Service
package import CarillonModel

/// The cause of an error of one group, for a call that asks several.
private struct GroupFailure: Error, RetryCause {
  let group: String
  let cause: any RetryCause

  var retryAfter: Duration? { cause.retryAfter }
  var obstacle: HubObstacle? { cause.obstacle }
  var isMove: Bool { cause.isMove }
}

extension LogError {
  /// The group that caused the error; nil if it is the one that was asked.
  package var group: String? { (cause as? GroupFailure)?.group }

  /// Returns the same error as that of a group.
  package func of(group: String) -> LogError {
    guard let failure = cause as? any RetryCause else { return self }
    return LogError(
      code: code, message: message, hint: hint, cause: GroupFailure(group: group, cause: failure))
  }
}
#endif
