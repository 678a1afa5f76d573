// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declares the parts of Apple's framework that the adapter uses, so that the compiler can check the
// adapter on systems without the framework. The declarations do nothing.
public import CoreLocation
public import Foundation

public class UNNotificationTrigger {}

public final class UNCalendarNotificationTrigger: UNNotificationTrigger {
  public init(dateMatching: DateComponents, repeats: Bool) {}
}

public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
  public init(timeInterval: TimeInterval, repeats: Bool) {}
}

public final class UNLocationNotificationTrigger: UNNotificationTrigger {
  public init(region: CLRegion, repeats: Bool) {}
}

public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

public final class UNNotificationSound {
  public class var `default`: UNNotificationSound { fatalError("declared only") }

  public init(named: UNNotificationSoundName) {}
}

public enum UNNotificationInterruptionLevel: UInt {
  case passive, active, timeSensitive, critical
}

public class UNNotificationContent {
  public var userInfo: [AnyHashable: Any] { fatalError("declared only") }
}

public final class UNMutableNotificationContent: UNNotificationContent {
  public var title = ""
  public var body = ""
  public var threadIdentifier = ""
  public var sound: UNNotificationSound?
  public var interruptionLevel = UNNotificationInterruptionLevel.active
  private var info: [AnyHashable: Any] = [:]
  public override var userInfo: [AnyHashable: Any] {
    get { info }
    set { info = newValue }
  }

  public override init() {}
}

public final class UNNotificationRequest {
  public var identifier: String { fatalError("declared only") }
  public var content: UNNotificationContent { fatalError("declared only") }

  public init(
    identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?
  ) {}
}

public final class UNNotification {
  public var date: Date { fatalError("declared only") }
  public var request: UNNotificationRequest { fatalError("declared only") }
}

public final class UNUserNotificationCenter {
  public class func current() -> UNUserNotificationCenter { fatalError("declared only") }

  public func getPendingNotificationRequests(
    completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
  ) {}

  public func getDeliveredNotifications(
    completionHandler: @escaping @Sendable ([UNNotification]) -> Void
  ) {}

  public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {}

  public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}

  public func add(
    _ request: UNNotificationRequest,
    withCompletionHandler handler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {}

  public func setBadgeCount(
    _ count: Int, withCompletionHandler handler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {}
}
