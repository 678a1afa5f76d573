/// The numbers of requests that systems can hold, for use as a device's capacity.
public enum SystemCapacity {
  /// The capacity of iOS.
  ///
  /// Which requests iOS keeps beyond this number depends on its version.
  public static let iOS = 64
  /// The capacity of Android.
  ///
  /// Manufacturers limit an app to 500 alarms.
  package static let android = 500
  /// The largest capacity of a plan, for systems without a known limit.
  package static let unlimited = PlanSettings.capacities.upperBound
}
