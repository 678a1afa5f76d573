/// A device: one replica's own description, and what it may show.
public struct Device: Hashable, Sendable {
  /// What kind of device; servers never alert.
  public enum Role: String, Hashable, Sendable, CaseIterable {
    case phone, tablet, watch, desktop, server
  }

  /// The replica that runs on it.
  public let replica: ReplicaID
  /// The text form.
  public var description: DeviceDescription?
  /// The event by which it described itself; nil with no description.
  public var describedBy: EventID?
  /// What its system allows.
  public var permission: Permission
  /// When the device last told what its system allows; nil where it never did.
  public var permissionSince: Instant?
  /// When its system let it show reminders, as far as it told; ascending.
  public internal(set) var grants: [PermissionGrant] = []
  /// Whether the system's prompt was shown, which it is once for ever.
  public var wasAsked: Bool
  /// What the person answered on the app's own screen, before the system's prompt.
  public var priming = Priming()
  /// The person's switches for it.
  public var alerts: Alerts
  /// When the switch of its reminders was last set; nil where it never was.
  public var alertsSince: Instant?
  /// The last logical date on which somebody used the app on it.
  public var lastActive: CivilDate?
  /// The time of its latest event; nil where the log holds none of it.
  public var lastSeen: Instant?
  /// Until when its system misses nothing, by what it was last given; nil where nothing was.
  public var coverageUntil: Instant?
  /// When its system was last given something; nil where that is not known.
  public var submittedAt: Instant?

  /// Makes a value of its parts.
  public init(replica: ReplicaID) {
    self.replica = replica
    permission = Permission()
    wasAsked = false
    alerts = Alerts()
  }
}

/// What a device says of itself; written whole.
public struct DeviceDescription: Hashable, Sendable {
  /// 1 to 64 bytes; displayed names are made unique where two are equal.
  public var name: String
  /// What kind of device it is.
  public var role: Device.Role
  /// The device's time zone, by its name in the IANA database; at most 64 bytes.
  public var zone: String
  /// The version of its time zone database, such as `2025b`; at most 32 bytes.
  public var zoneDataVersion: String
  /// How many requests its system keeps; 1...10,000.
  public var capacity: Int
  /// Whose history this replica goes on from.
  public var predecessor: ReplicaID?

  /// Makes a value of its parts.
  public init(
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

/// Whether the system lets a device show notifications.
public struct Permission: Hashable, Sendable {
  /// The system's answer.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    case notDetermined, denied, authorized, provisional, ephemeral
  }

  /// What may be shown.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The value itself.
    public let rawValue: UInt32

    /// Takes the value as it is.
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
  /// What may be shown, where anything may.
  public var options: Options

  /// Makes a value of its parts.
  public init(status: Status = .notDetermined, options: Options = []) {
    self.status = status
    self.options = options
  }

  /// Whether reminders may be shown at all.
  public var isGranted: Bool { status != .notDetermined && status != .denied }
}

/// The person's own switches for a device; off until turned on.
public struct Alerts: Hashable, Sendable {
  /// Whether reminders are shown on it.
  public var isOn: Bool
  /// Whether the icon carries a number.
  public var badgeIsOn: Bool
  /// Whether reminders sound.
  public var soundIsOn: Bool

  /// Makes a value of its parts.
  public init(isOn: Bool = false, badgeIsOn: Bool = false, soundIsOn: Bool = false) {
    self.isOn = isOn
    self.badgeIsOn = badgeIsOn
    self.soundIsOn = soundIsOn
  }
}

/// Why nothing is given to the system, though the queue is planned.
public enum Blocked: String, Hashable, Sendable {
  case notDetermined, denied, alertsOff
}

extension Device {
  /// Why nothing may be shown, or nil.
  ///
  /// Permission comes before the person's own switch.
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
