#if canImport(UserNotifications) && !os(tvOS)
  public import CarillonModel
  internal import Foundation
  internal import UserNotifications

  #if canImport(CoreLocation) && (os(iOS) || os(Linux))
    internal import CoreLocation
  #endif

  /// Apple's notification center as a ``NotificationScheduler``.
  ///
  /// Floating times are given without a zone, so that the system moves them with the device; fixed
  /// ones with theirs. The fingerprint travels in the notification's `userInfo`, under
  /// ``fingerprintKey``, beside what the schedule hands to the app, so that the system's list gives
  /// it back. A sound's name is a file of the app's bundle, but `default`, which is the system's
  /// own.
  ///
  /// A place needs the permission to use the location, and is refused where the system watches
  /// none.
  @available(iOS 16, macOS 13, watchOS 9, visionOS 1, *)
  public struct UserNotificationsScheduler: NotificationScheduler {
    /// Under which key of `userInfo` the fingerprint stands.
    public static let fingerprintKey = "carillon.fingerprint"

    /// The system did not take a request.
    public struct Refusal: Error, CustomStringConvertible {
      /// Why.
      public let description: String
    }

    /// Uses the app's own notification center.
    public init() {}

    /// The requests that the center holds, with their fingerprints.
    public func scheduled() async -> [ScheduledRequest] {
      await withCheckedContinuation { continuation in
        UNUserNotificationCenter.current().getPendingNotificationRequests { requests in
          continuation.resume(
            returning: requests.map {
              ScheduledRequest(
                id: $0.identifier,
                fingerprint: $0.content.userInfo[Self.fingerprintKey] as? String)
            })
        }
      }
    }

    /// Removes requests that are not shown yet, and waits until the center has done it.
    ///
    /// The center removes in the background; what is asked of it later is answered after that.
    public func remove(_ ids: [String]) async {
      UNUserNotificationCenter.current().removePendingNotificationRequests(withIdentifiers: ids)
      _ = await scheduled()
    }

    /// Adds a request; one of the same id is replaced.
    public func add(_ request: Request) async throws {
      guard let trigger = RequestTrigger(request.trigger) else {
        throw Refusal(description: "no trigger: \(request.trigger)")
      }
      let made = UNNotificationRequest(
        identifier: request.id, content: Self.content(of: request),
        trigger: try Self.trigger(of: trigger, request))
      let problem = await withCheckedContinuation { continuation in
        UNUserNotificationCenter.current().add(made) { error in
          continuation.resume(returning: error.map { "\($0)" })
        }
      }
      if let problem { throw Refusal(description: problem) }
    }

    /// What the center shows.
    public func delivered() async -> [DeliveredNotification] {
      await withCheckedContinuation { continuation in
        UNUserNotificationCenter.current().getDeliveredNotifications { notifications in
          continuation.resume(
            returning: notifications.map {
              DeliveredNotification(
                id: $0.request.identifier,
                deliveredAt: Instant(milliseconds: Int64($0.date.timeIntervalSince1970 * 1000)))
            })
        }
      }
    }

    /// Takes notifications from the screen.
    public func removeDelivered(_ ids: [String]) async {
      UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: ids)
    }

    /// Sets the number on the app's icon; a watch has none.
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
    private static func content(of request: Request) -> UNNotificationContent {
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

    private static func trigger(
      of trigger: RequestTrigger, _ request: Request
    ) throws -> UNNotificationTrigger {
      switch trigger.shape {
      case .every(let seconds): return every(seconds, request)
      case .place(let place): return try crossing(place)
      case .at, .daily, .weekly, .monthly, .yearly:
        var components = trigger.shape.components
        if let name = trigger.zone {
          guard let zone = TimeZone(identifier: name) else {
            throw Refusal(description: "no zone \(name)")
          }
          components.timeZone = zone
        }
        return UNCalendarNotificationTrigger(dateMatching: components, repeats: trigger.repeats)
      }
    }

    /// Elapsed time begins when it is added; only what comes every hour can keep its minute.
    private static func every(_ seconds: Int, _ request: Request) -> UNNotificationTrigger {
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

    private static func crossing(_ place: Region) throws -> UNNotificationTrigger {
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
        throw Refusal(description: "this system watches no places")
      #endif
    }
  }

  extension InterruptionLevel {
    /// The framework's level of the same name.
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
    /// The civil fields that have to match; none of what is no civil time.
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
        // ISO counts from Monday as 1, the calendar from Sunday.
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
