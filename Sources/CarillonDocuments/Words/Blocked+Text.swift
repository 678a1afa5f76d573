package import CarillonModel

extension Blocked {
  /// The reason why no notifications are delivered, in a few words.
  var cause: String {
    switch self {
    case .notDetermined: "no permission yet"
    case .denied: "permission is denied"
    case .alertsOff: "alerts are off"
    }
  }

  /// Returns the reason why no notifications are delivered, and what to do.
  package func text(_ terms: Terms) -> String {
    switch self {
    case .notDetermined:
      "Nothing is delivered yet: permission is not determined" + terms(". Next", .grantPermission)
    case .denied:
      "Nothing is delivered: permission is denied. Allow it in the system's settings"
        + terms(", then", .grantPermission)
    case .alertsOff: "Nothing is delivered: alerts are off" + terms(". Next", .turnAlertsOn)
    }
  }
}
