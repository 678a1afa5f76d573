#if Service
package import CarillonModel

/// The cause of an error that says when the call should be repeated.
package protocol RetryCause: Sendable {
  /// Nil if repeating does not help.
  var retryAfter: Duration? { get }
  /// What the operator must change first; nil if that is not known.
  var obstacle: HubObstacle? { get }
}

extension LogError {
  /// The time after which a call that was refused as busy should be repeated.
  package var retryAfter: Duration? { (cause as? any RetryCause)?.retryAfter }

  /// What the operator of a database must change first; nil if that is not known.
  package var obstacle: HubObstacle? { (cause as? any RetryCause)?.obstacle }
}
#endif
