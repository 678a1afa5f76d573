package import Foundation

/// The inputs of a plan, in addition to the state and the current moment.
package struct PlanSettings: Hashable, Sendable {
  /// The device's zone.
  package var zone: TimeZone
  /// The number of requests that the system can hold, 0...10,000.
  package private(set) var capacity: Int
  /// The number of civil days to plan, including today, 1...400.
  package private(set) var horizonDays: Int
  /// The settings of the store.
  package var store: StoreSettings

  /// Creates settings.
  ///
  /// An out-of-range capacity or horizon is clamped to the nearest valid value.
  ///
  /// - Parameter horizonDays: The number of civil days to plan. Nil uses the store's setting.
  package init(
    zone: TimeZone, capacity: Int = SystemCapacity.iOS, horizonDays: Int? = nil,
    store: StoreSettings = StoreSettings()
  ) {
    self.zone = zone
    self.capacity = capacity.clamped(to: Self.capacities)
    self.horizonDays = (horizonDays ?? store.horizonDays).clamped(to: Self.horizons)
    self.store = store
  }

  /// The time at which a person's day begins.
  ///
  /// An earlier time counts towards the previous day.
  package var dayStart: TimeOfDay { store.dayStart }

  /// The valid capacities of a plan.
  package static let capacities = 0...10_000
  /// The valid horizons of a plan, in days.
  package static let horizons = 1...400
}

extension Int {
  fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
