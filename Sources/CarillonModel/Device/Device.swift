/// A device: the description that its replica wrote, and what the device may deliver.
public struct Device: Hashable, Sendable {
  /// The kind of device.
  ///
  /// A server never delivers notifications.
  public enum Role: String, Hashable, Sendable, CaseIterable {
    case phone, tablet, watch, desktop, server
  }

  /// The replica that runs on the device.
  public let replica: ReplicaID
  /// The device's description of itself, with the name and the role that a person gave it since, or
  /// nil if it has not written one.
  public var description: DeviceDescription?
  /// The event with the device's description.
  ///
  /// Nil without a description.
  package var describedBy: EventID?
  /// The name that a person gave the device, or nil if it has the one of its description.
  package var givenName: GivenName?
  /// The instant at which a person retired the device, or nil if it is in use.
  ///
  /// A retired device delivers nothing, and no other device waits for it.
  package var retiredSince: Instant?
  /// The system's current permission.
  public var permission: Permission
  /// The instant at which the device last recorded the system's permission, or nil if it never did.
  package var permissionSince: Instant?
  /// The known periods during which the system allowed notifications, ascending.
  package internal(set) var grants: [PermissionGrant] = []
  /// Whether the system's prompt was shown.
  ///
  /// The system shows it only once.
  package var wasAsked: Bool
  /// The person's answers on the app's own screen, which comes before the system's prompt.
  package var priming = Priming()
  /// The person's switches for the device.
  public var alerts: Alerts
  /// The instant at which the switch for notifications was last set, or nil if it never was.
  package var alertsSince: Instant?
  /// The last logical date on which the app was used on the device.
  package var lastActive: CivilDate?
  /// The timestamp of the device's latest event, or nil if the log holds no event of it.
  public var lastSeen: Instant?
  /// The end of the coverage of the last submitted plan, or nil if no plan was submitted.
  public var coverageUntil: Instant?
  /// The instant of the last submission to the system, or nil if it is not known.
  package var submittedAt: Instant?

  /// Creates a device without any recorded facts.
  package init(replica: ReplicaID) {
    self.replica = replica
    permission = Permission()
    wasAsked = false
    alerts = Alerts()
  }
}

/// The name that a person gave a device, and the event that set it.
package struct GivenName: Hashable, Sendable {
  /// The name, 1 to 64 bytes.
  package let text: String
  /// The event.
  package let by: EventID

  /// Creates a value from its parts.
  package init(_ text: String, by event: EventID) {
    self.text = text
    by = event
  }
}

extension Device {
  /// The name that a person gave the device, or else the one that it has described itself with.
  package var name: String? { givenName?.text ?? description?.name }

  /// Records what a person decided about the device.
  ///
  /// Call it after the device's own description is set.
  package mutating func note(
    name: GivenName?, role: Role?, retired: (value: Bool, since: Instant)?
  ) {
    givenName = name
    if let name { description?.name = name.text }
    if let role { description?.role = role }
    retiredSince = retired.flatMap { $0.value ? $0.since : nil }
  }
}

/// The description that a device writes of itself.
///
/// An update replaces it entirely.
public struct DeviceDescription: Hashable, Sendable {
  /// The name, 1 to 64 bytes.
  ///
  /// If two names are equal, the displayed names are made unique.
  public var name: String
  /// The kind of device.
  public var role: Device.Role
  /// The IANA name of the device's time zone, at most 64 bytes.
  public var zone: String
  /// The version of the device's time zone database, such as `2025b`, at most 32 bytes.
  package var zoneDataVersion: String
  /// The number of requests that the system can hold, 1...10,000.
  public var capacity: Int
  /// The replica whose history this replica continues.
  package var predecessor: ReplicaID?

  /// Creates a value from its parts.
  package init(
    name: String, role: Device.Role, zone: String, zoneDataVersion: String, capacity: Int,
    predecessor: ReplicaID? = nil
  ) {
    self.name = name
    self.role = role
    self.zone = zone
    self.zoneDataVersion = zoneDataVersion
    self.capacity = capacity
    self.predecessor = predecessor
  }
}

/// The system's permission for a device to deliver notifications.
public struct Permission: Hashable, Sendable {
  /// The system's answer.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    case notDetermined, denied, authorized, provisional, ephemeral
  }

  /// The allowed forms of delivery.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The raw value.
    public let rawValue: UInt32

    /// Creates a value from a raw value.
    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// Banners and lists.
    public static let alert = Options(rawValue: 1)
    /// A sound.
    public static let sound = Options(rawValue: 2)
    /// A number on the app's icon.
    public static let badge = Options(rawValue: 4)
  }

  /// The system's answer.
  public var status: Status
  /// The allowed forms of delivery, if any are allowed.
  public var options: Options

  /// Creates a value from its parts.
  public init(status: Status = .notDetermined, options: Options = []) {
    self.status = status
    self.options = options
  }

  /// Whether the system allows notifications at all.
  public var isGranted: Bool { status != .notDetermined && status != .denied }
}

/// The person's own switches for a device, which are off by default.
public struct Alerts: Hashable, Sendable {
  /// Whether the device delivers notifications.
  public var isOn: Bool
  /// Whether the app's icon shows a number.
  public var badgeIsOn: Bool
  /// Whether notifications have sound.
  public var soundIsOn: Bool

  /// Creates a value from its parts.
  package init(isOn: Bool = false, badgeIsOn: Bool = false, soundIsOn: Bool = false) {
    self.isOn = isOn
    self.badgeIsOn = badgeIsOn
    self.soundIsOn = soundIsOn
  }
}

/// The reason why nothing is submitted to the system although the queue is planned.
public enum Blocked: String, Hashable, Sendable {
  case notDetermined, denied, alertsOff
}

extension Device {
  /// The reason why no notification may be delivered, or nil if nothing blocks delivery.
  ///
  /// The permission is checked before the person's own switch.
  public var blocked: Blocked? {
    switch permission.status {
    case .notDetermined: .notDetermined
    case .denied: .denied
    case .authorized, .provisional, .ephemeral: alerts.isOn ? nil : .alertsOff
    }
  }
}

extension Permission.Options: NamedOptions {
  package static var named: [(name: String, option: Permission.Options)] {
    [("alert", .alert), ("sound", .sound), ("badge", .badge)]
  }
}
