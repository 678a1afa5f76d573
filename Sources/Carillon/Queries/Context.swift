import CarillonModel
import CarillonSQLite
import Foundation

/// The input of a decision.
struct Context {
  let reader: ProjectionReader
  /// The replica that writes.
  let replica: ReplicaID
  /// The device for which the store reads and plans.
  let device: ReplicaID
  let now: Instant
  let zone: TimeZone
  let settings: StoreSettings
  /// The logical date of `now`.
  let today: CivilDate

  /// Returns the context at another moment or in another zone.
  func at(_ moment: Instant, in zone: TimeZone? = nil) -> Context {
    let zone = zone ?? self.zone
    return Context(
      reader: reader, replica: replica, device: device, now: moment, zone: zone,
      settings: settings, today: LogicalDate.of(moment, in: zone, dayStart: settings.dayStart))
  }

  /// Returns the part of the merged state that a plan depends on, with what this device's repeating
  /// requests fired since the last submission.
  ///
  /// - Parameter range: The result of ``Planner/range(now:including:)``.
  func planState(range: ClosedRange<CivilDate>) throws -> StoreState {
    var state = try reader.planState(range: range)
    state.add(firings: try reader.plannedRepeats(), on: device, in: zone, by: now)
    return state
  }

  func date(_ day: HabitDate) throws(ModelError) -> CivilDate {
    switch day {
    case .today, .due: return today
    case .date(let date):
      guard CivilDate.accepted.contains(date) else {
        throw .invalid("date", "\(date) is out of range; \(Self.acceptedDates)")
      }
      return date
    }
  }

  /// - Throws: `invalidValue` if the clock shows a date that no event may contain.
  func requireToday() throws(ModelError) {
    guard !CivilDate.accepted.contains(today) else { return }
    throw ModelError(
      code: .invalidValue, message: "the clock shows \(today); \(Self.acceptedDates)",
      reason: .clockOutOfRange)
  }

  private static let acceptedDates =
    "dates from \(CivilDate.accepted.lowerBound) to \(CivilDate.accepted.upperBound) are allowed"
}
