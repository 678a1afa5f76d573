#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the route that snoozes the last reminder of a habit, or ends its snoozes.
  func addSnoozes() {
    on(.post, "habits/:habit/snooze") { asked in
      var document = try await asked.document()
      let (minutes, until) = (try document.integer("minutes"), try document.instant("until"))
      let off = try document.bool("off") ?? false
      try document.finish()
      guard minutes == nil || until == nil && !off else {
        throw Problem.malformed("minutes is not allowed with until or off")
      }
      let (habit, time) = (try await asked.store.habit(asked.habit), asked.time)
      if off {
        let (written, ends) = try await asked.store.endSnoozes(of: habit.id, until: until)
        return Answer(
          written,
          ["habit": .text(habit.id), "ended": .array(ends) { .text(time.rfc3339($0)) }])
      }
      let duration = try minutes.map(StoreRequest.snooze) ?? Store.defaultSnooze
      let report =
        if let until {
          try await asked.store.snooze(habit.id, until: until)
        } else {
          try await asked.store.snooze(habit.id, for: duration)
        }
      let snoozed = try await SnoozeDocument(report, of: habit, asked.store, time)
      return Answer(report.written, snoozed.json)
    }
  }
}

extension StoreRequest {
  /// Returns the duration of a snooze.
  static func snooze(minutes: Int64) throws -> Duration {
    let limits = Store.snoozeLimits
    let most = limits.upperBound.components.seconds / 60
    guard (1...most).contains(minutes) else {
      throw Problem.invalidValue("minutes: \(minutes) is out of range; 1 to \(most) is allowed")
    }
    return .seconds(minutes * 60)
  }
}
#endif
