/// How many requests systems keep: what to give a device for its capacity.
public enum SystemCapacity {
  /// iOS keeps 64; which of more it keeps differs from version to version.
  public static let iOS = 64
  /// Android's makers limit the alarms of an app to 500.
  public static let android = 500
  /// Where no limit is known: the most that a plan may have.
  public static let unlimited = PlanSettings.capacities.upperBound
}
