/// The edge to the system that shows notifications: the port that an app implements for its device.
///
/// `Store.apply(to:)` of the module `Carillon` is its only caller. It always lists first and takes
/// the list for the truth, so an implementation keeps no memory of its own of what is scheduled.
/// The conformance suite in `CarillonTesting` says what every implementation has to do.
///
/// Ids that begin with `c1` are ours; those of others are listed too and never touched. All methods
/// may be called from any task. Each may throw whatever the system says: it is told to the caller
/// of `apply(to:)`, and the next `apply(to:)` tries again.
public protocol NotificationScheduler: Sendable {
  /// All requests that the system holds and has not yet shown for the last time, others' among
  /// them.
  ///
  /// Each with the ``Request/fingerprint`` that was given with it, where the system can keep it;
  /// nil where it cannot, and then changes of what is shown go unnoticed. A system that answers
  /// nothing, as one does while permission is revoked, gives an empty list.
  func scheduled() async throws -> [ScheduledRequest]

  /// Takes requests from the system's list, before it returns where the system allows to wait.
  ///
  /// Ids that are not there change nothing. What is shown already stays.
  func remove(_ ids: [String]) async throws

  /// Gives one request to the system; one of the same id is replaced.
  ///
  /// A floating trigger follows the device's zone, one with a zone does not; see
  /// ``RequestTrigger``. Returns when the system took it, and throws when it did not.
  func add(_ request: Request) async throws

  /// What the system shows now, others' among them; empty where it cannot tell.
  func delivered() async throws -> [DeliveredNotification]

  /// Takes what is shown from the screen; ids that are not there change nothing.
  func removeDelivered(_ ids: [String]) async throws

  /// Sets the number on the app's icon; 0 takes it away.
  func setBadge(_ count: Int) async throws
}

/// A notification that the system shows.
public struct DeliveredNotification: Hashable, Sendable {
  /// The id of the request that was shown.
  public let id: String
  /// When it was shown last.
  public let deliveredAt: Instant

  /// Makes a value of its parts.
  public init(id: String, deliveredAt: Instant) {
    self.id = id
    self.deliveredAt = deliveredAt
  }
}
