#if canImport(UserNotifications) && !os(tvOS)
public import CarillonModel
internal import Foundation
internal import UserNotifications

#if canImport(CoreLocation) && (os(iOS) || os(Linux))
internal import CoreLocation
#endif

/// Apple's notification center as a ``NotificationScheduler``.
///
/// Floating times are submitted without a zone, so that the system moves them with the device.
/// Fixed times are submitted with their zone. The fingerprint is stored in the notification's
/// `userInfo` under ``fingerprintKey``, next to the schedule's data, so that the system's list
/// returns it. The name of a sound is a file in the app's bundle, except `default`, which is the
/// system's own sound.
///
/// A place requires permission to use the location. It is refused on systems without location
/// triggers.
@available(iOS 16, macOS 13, watchOS 9, visionOS 1, *)
public struct UserNotificationsScheduler: NotificationScheduler {
  /// The key of the fingerprint in `userInfo`.
  public static let fingerprintKey = "carillon.fingerprint"

  /// The error for a request that the system did not accept.
  public struct Refusal: Error, CustomStringConvertible {
    /// The reason.
    public let description: String
  }

  /// Creates a scheduler for the app's own notification center.
  public init() {}

  /// Returns the requests that the center holds, with their fingerprints.
  public func scheduled() async -> [ScheduledRequest] {
    await withCheckedContinuation { continuation in
      UNUserNotificationCenter.current().getPendingNotificationRequests { requests in
        continuation.resume(
          returning: requests.map {
            ScheduledRequest(
              id: NotificationID($0.identifier),
              fingerprint: $0.content.userInfo[Self.fingerprintKey] as? String)
          })
      }
    }
  }

  /// Removes pending requests and waits until the center has removed them.
  ///
  /// The center removes requests in the background and answers later queries after the removal.
  public func remove(_ ids: [RequestID]) async {
    UNUserNotificationCenter.current().removePendingNotificationRequests(
      withIdentifiers: ids.map(\.description))
    _ = await scheduled()
  }

  /// Adds a request.
  ///
  /// A request with the same ID is replaced.
  public func add(_ request: NotificationRequest) async throws {
    let made = UNNotificationRequest(
      identifier: request.id.description, content: Self.content(of: request),
      trigger: try Self.trigger(of: request))
    let problem = await withCheckedContinuation { continuation in
      UNUserNotificationCenter.current().add(made) { error in
        continuation.resume(returning: error.map { "\($0)" })
      }
    }
    if let problem { throw Refusal(description: problem) }
  }

  /// Returns the notifications that the center displays.
  public func delivered() async -> [DeliveredNotification] {
    await withCheckedContinuation { continuation in
      UNUserNotificationCenter.current().getDeliveredNotifications { notifications in
        continuation.resume(
          returning: notifications.map {
            DeliveredNotification(
              id: NotificationID($0.request.identifier),
              deliveredAt: Instant(milliseconds: Int64($0.date.timeIntervalSince1970 * 1000)))
          })
      }
    }
  }

  /// Removes notifications from the screen.
  public func removeDelivered(_ ids: [RequestID]) async {
    UNUserNotificationCenter.current().removeDeliveredNotifications(
      withIdentifiers: ids.map(\.description))
  }

  /// Sets the number on the app's icon.
  ///
  /// A watch has no such number.
  public func setBadge(_ count: Int) async throws {
    #if !os(watchOS)
    let problem = await withCheckedContinuation { continuation in
      UNUserNotificationCenter.current().setBadgeCount(count) { error in
        continuation.resume(returning: error.map { "\($0)" })
      }
    }
    if let problem { throw Refusal(description: problem) }
    #endif
  }
}

@available(iOS 16, macOS 13, watchOS 9, visionOS 1, *)
extension UserNotificationsScheduler {
  private static func content(of request: NotificationRequest) -> UNNotificationContent {
    let content = UNMutableNotificationContent()
    content.title = request.content.title
    content.body = request.content.body ?? ""
    content.threadIdentifier = request.content.thread
    if let sound = request.content.sound {
      content.sound =
        sound == "default"
        ? .default : UNNotificationSound(named: UNNotificationSoundName(rawValue: sound))
    }
    if let level = request.content.level { content.interruptionLevel = level.ofSystem }
    var info: [AnyHashable: Any] = [:]
    for (key, value) in request.content.data { info[key] = value }
    info[fingerprintKey] = request.fingerprint
    content.userInfo = info
    return content
  }

  private static func trigger(of request: NotificationRequest) throws -> UNNotificationTrigger {
    let trigger = request.trigger
    switch trigger.shape {
    case .every(let seconds): return every(seconds, request)
    case .place(let place): return try crossing(place)
    case .at, .daily, .weekly, .monthly, .yearly:
      var components = trigger.shape.components
      if let name = trigger.zone {
        guard let zone = TimeZone(identifier: name) else {
          throw Refusal(description: "unknown time zone \(name)")
        }
        components.timeZone = zone
      }
      return UNCalendarNotificationTrigger(dateMatching: components, repeats: trigger.repeats)
    }
  }

  /// Elapsed time starts when the request is added.
  ///
  /// Only an hourly interval can keep its minute.
  private static func every(_ seconds: Int, _ request: NotificationRequest)
    -> UNNotificationTrigger
  {
    guard seconds == 3600, let fireAt = request.fireAt else {
      return UNTimeIntervalNotificationTrigger(
        timeInterval: TimeInterval(seconds), repeats: true)
    }
    var components = DateComponents()
    components.timeZone = TimeZone(secondsFromGMT: 0)
    components.minute = Int(fireAt.milliseconds / 60_000 % 60)
    components.second = Int(fireAt.milliseconds / 1000 % 60)
    return UNCalendarNotificationTrigger(dateMatching: components, repeats: true)
  }

  private static func crossing(_ place: Schedule.Region) throws -> UNNotificationTrigger {
    #if canImport(CoreLocation) && (os(iOS) || os(Linux))
    let region = CLCircularRegion(
      center: CLLocationCoordinate2D(
        latitude: Double(place.latitude) / 1_000_000,
        longitude: Double(place.longitude) / 1_000_000),
      radius: Double(place.radius), identifier: "\(place.latitude),\(place.longitude)")
    region.notifyOnEntry = place.crossing == .entry
    region.notifyOnExit = place.crossing == .exit
    return UNLocationNotificationTrigger(region: region, repeats: true)
    #else
    throw Refusal(description: "this system does not support location triggers")
    #endif
  }
}

extension InterruptionLevel {
  /// The framework's level with the same name.
  fileprivate var ofSystem: UNNotificationInterruptionLevel {
    switch self {
    case .passive: .passive
    case .active: .active
    case .timeSensitive: .timeSensitive
    case .critical: .critical
    }
  }
}

extension RequestTrigger.Shape {
  /// The civil fields that must match.
  ///
  /// Empty for a shape without civil times.
  fileprivate var components: DateComponents {
    var components = DateComponents()
    var time: TimeOfDay?
    switch self {
    case .at(let moment, let second):
      let (year, month, day) = moment.date.components
      (components.year, components.month, components.day) = (year, month, day)
      components.second = second
      time = moment.time
    case .daily(let own): time = own
    case .weekly(let day, let own):
      // ISO counts from Monday as 1, the calendar from Sunday as 1.
      components.weekday = Int(day.rawValue) % 7 + 1
      time = own
    case .monthly(let day, let own): (components.day, time) = (day, own)
    case .yearly(let month, let day, let own):
      (components.month, components.day, time) = (month, day, own)
    case .every, .place: break
    }
    components.hour = time.map { Int($0.minute) / 60 }
    components.minute = time.map { Int($0.minute) % 60 }
    return components
  }
}
#endif
