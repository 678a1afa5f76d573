#if Service
package import CarillonModel

/// The cause of an error that says when the call should be repeated.
package protocol RetryCause: Sendable {
  /// Nil if repeating does not help.
  var retryAfter: Duration? { get }
  /// What the operator must change first; nil if that is not known.
  var obstacle: HubObstacle? { get }
  /// Whether another database has the person now, or will.
  var isMove: Bool { get }
}

extension RetryCause {
  package var isMove: Bool { false }
}

extension LogError {
  /// The time after which a call that was refused as busy should be repeated.
  package var retryAfter: Duration? { (cause as? any RetryCause)?.retryAfter }

  /// What the operator of a database must change first; nil if that is not known.
  package var obstacle: HubObstacle? { (cause as? any RetryCause)?.obstacle }

  /// Whether another database has the person now, or will.
  package var isMove: Bool { (cause as? any RetryCause)?.isMove ?? false }
}
#endif
