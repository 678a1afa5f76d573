package import CarillonModel

extension Blocked {
  /// The reason why a device delivers no reminders, in a few words.
  var cause: String {
    switch self {
    case .notDetermined: "notifications are not allowed yet"
    case .denied: "notifications are not allowed"
    case .alertsOff: "alerts are off"
    }
  }

  /// Returns the reason why this device delivers no reminders, and what to do.
  package func text(_ terms: Terms) -> String {
    let reason = "Reminders are off on this device: \(cause)"
    return switch self {
    case .notDetermined: reason + terms(". Next", .grantPermission)
    case .denied:
      reason + ". Allow them in the system's settings" + terms(", then", .grantPermission)
    case .alertsOff: reason + terms(". Next", .turnAlertsOn)
    }
  }
}
