public import Foundation

/// What a plan is made for, beside the state and the moment.
public struct PlanSettings: Hashable, Sendable {
  /// The device's zone.
  public var zone: TimeZone
  /// How many requests the system keeps, 0...10,000.
  public private(set) var capacity: Int
  /// How many civil days are planned, today's among them; 1...400.
  public private(set) var horizonDays: Int
  /// The settings of the store.
  public var store: StoreSettings

  /// Makes settings; a capacity or horizon out of range becomes the nearest that is in range.
  ///
  /// - Parameter horizonDays: Nil: as the store's settings say.
  public init(
    zone: TimeZone, capacity: Int = SystemCapacity.iOS, horizonDays: Int? = nil,
    store: StoreSettings = StoreSettings()
  ) {
    self.zone = zone
    self.capacity = capacity.clamped(to: Self.capacities)
    self.horizonDays = (horizonDays ?? store.horizonDays).clamped(to: Self.horizons)
    self.store = store
  }

  /// When a person's day begins: what is due before it counts to the day before.
  public var dayStart: TimeOfDay { store.dayStart }

  /// The capacities that a plan may have.
  public static let capacities = 0...10_000
  /// The horizons that a plan may have, in days.
  public static let horizons = 1...400

  /// These settings, with the places that others take in the system's list left to them.
  ///
  /// Every distinct id in the list that is none of ours takes one place.
  public func leavingRoom(for scheduled: some Sequence<ScheduledRequest>) -> PlanSettings {
    let foreign = Set(scheduled.lazy.filter { !$0.isOurs }.map(\.id)).count
    return PlanSettings(
      zone: zone, capacity: capacity - foreign, horizonDays: horizonDays, store: store)
  }
}

extension Int {
  fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
