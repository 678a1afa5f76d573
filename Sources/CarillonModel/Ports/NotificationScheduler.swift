/// The system service that delivers notifications: the port that an app implements for its device.
///
/// Only `Store.apply(to:)` of the module `Carillon` calls it. Each call first lists the system's
/// requests and relies on that list, so an implementation does not remember what it scheduled. The
/// conformance suite in `CarillonTesting` defines what every implementation must do.
///
/// Requests of other parts of the app are listed too, but never changed; see ``NotificationID``.
/// All methods may be called from any task. Each may throw any error of the system: `apply(to:)`
/// reports it to its caller, and the next `apply(to:)` tries again.
public protocol NotificationScheduler: Sendable {
  /// Returns all requests that the system holds and has not yet delivered for the last time,
  /// including those of others.
  ///
  /// Each has the ``NotificationRequest/fingerprint`` that was added with it, if the system can
  /// store it. Otherwise the fingerprint is nil, and changes of a request's content go unnoticed.
  /// If the system returns nothing, for example while permission is revoked, the list is empty.
  func scheduled() async throws -> [ScheduledRequest]

  /// Removes requests from the system's list. If the system allows it, the method returns only
  /// after they are removed.
  ///
  /// Unknown IDs have no effect. Delivered notifications are not removed.
  func remove(_ ids: [RequestID]) async throws

  /// Adds one request to the system, replacing the request with the same ID.
  ///
  /// A floating trigger follows the device's time zone; one with a time zone does not. See
  /// ``RequestTrigger``. The method returns after the system accepted the request, and throws if
  /// the system refused it.
  func add(_ request: NotificationRequest) async throws

  /// Returns the delivered notifications that the user can still see, including those of others;
  /// empty if the system cannot report them.
  func delivered() async throws -> [DeliveredNotification]

  /// Removes delivered notifications from the screen; unknown IDs have no effect.
  func removeDelivered(_ ids: [RequestID]) async throws

  /// Sets the number on the app's icon; 0 removes it.
  func setBadge(_ count: Int) async throws
}

/// A notification that the system delivered.
public struct DeliveredNotification: Hashable, Sendable {
  /// The ID of the delivered request.
  public let id: NotificationID
  /// The time of the most recent delivery.
  public let deliveredAt: Instant

  /// Creates a value from its parts.
  public init(id: NotificationID, deliveredAt: Instant) {
    self.id = id
    self.deliveredAt = deliveredAt
  }
}
