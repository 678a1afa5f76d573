internal import CarillonModel
internal import Foundation
internal import SwiftProtobuf

/// The generated messages of rules and conditions.
extension PayloadWriter {
  static func rule(_ rule: Rule) -> Carillon_V1_SlotSet.OneOf_Rule? {
    switch rule {
    case .once(let date): .once(once(date))
    case .weekly(let days): .weekly(weekly(days))
    case .everyDays(let days, let anchor): .everyDays(everyDays(days, anchor))
    case .recurrence(let recurrence): .recurrence(self.recurrence(recurrence))
    case .interval(let interval): .interval(self.interval(interval))
    case .relative(let relative): .relative(self.relative(relative))
    case .place(let place): .place(self.place(place))
    case .unknown: nil
    }
  }

  private static func base(_ rule: Rule) -> Carillon_V1_Relative.OneOf_Base? {
    switch rule {
    case .once(let date): .once(once(date))
    case .weekly(let days): .weekly(weekly(days))
    case .everyDays(let days, let anchor): .everyDays(everyDays(days, anchor))
    case .recurrence(let recurrence): .recurrence(self.recurrence(recurrence))
    case .interval, .relative, .place, .unknown: nil
    }
  }

  private static func once(_ date: CivilDate) -> Carillon_V1_Once {
    .with { $0.date = date.rawValue }
  }

  private static func weekly(_ days: Set<Weekday>) -> Carillon_V1_Weekly {
    .with { $0.days = days.reduce(0) { $0 | $1.bit } }
  }

  private static func everyDays(_ days: Int, _ anchor: CivilDate) -> Carillon_V1_EveryDays {
    .with {
      $0.days = UInt32(clamping: days)
      $0.from = anchor.rawValue
    }
  }

  private static func recurrence(_ recurrence: Recurrence) -> Carillon_V1_Recurrence {
    .with { $0.text = recurrence.description }
  }

  private static func interval(_ interval: Interval) -> Carillon_V1_Interval {
    .with {
      $0.seconds = UInt32(clamping: interval.seconds)
      $0.from = interval.from.milliseconds
      if let window = interval.window {
        $0.windowFrom = UInt32(window.from.minute)
        $0.windowTo = UInt32(window.to.minute)
      }
    }
  }

  private static func relative(_ relative: Relative) -> Carillon_V1_Relative {
    .with {
      $0.durationMinutes = UInt32(clamping: relative.durationMinutes)
      $0.edge = named(relative.edge)
      $0.offsetSeconds = Int32(clamping: relative.offsetSeconds)
      $0.repeatCount = UInt32(clamping: relative.repeatCount)
      $0.repeatSeconds = UInt32(clamping: relative.repeatSeconds)
      $0.base = base(relative.base)
    }
  }

  private static func place(_ place: Region) -> Carillon_V1_Place {
    .with {
      $0.latitude = place.latitude
      $0.longitude = place.longitude
      $0.radius = UInt32(clamping: place.radius)
      $0.crossing = named(place.crossing)
    }
  }

  static func quota(_ quota: Quota) -> Carillon_V1_Quota {
    .with {
      $0.count = UInt32(clamping: quota.count)
      $0.period = Carillon_V1_QuotaPeriod(rawValue: quota.period.wireNumber) ?? .unspecified
      if case .rolling(let days) = quota.period { $0.days = UInt32(clamping: days) }
    }
  }
}

/// What was put off, what was given to the system, and the store's settings.
extension PayloadWriter {
  static func snoozeSet(_ set: SnoozeSet) -> Carillon_V1_SnoozeSet {
    .with {
      $0.habit = data(set.habit)
      $0.slot = data(set.snooze.slot)
      $0.date = set.snooze.nominal.date.rawValue
      $0.minute = UInt32(set.snooze.nominal.time.minute)
      $0.number = UInt32(clamping: set.snooze.number)
      if let until = set.snooze.until { $0.until = until.milliseconds }
      $0.ignoresQuietHours = set.snooze.ignoresQuietHours
    }
  }

  static func planSubmitted(_ submitted: PlanSubmitted) -> Carillon_V1_PlanSubmitted {
    .with {
      $0.added = UInt32(clamping: submitted.added)
      $0.removed = UInt32(clamping: submitted.removed)
      $0.failed = UInt32(clamping: submitted.failed)
      $0.idsDigest = Data(submitted.idsDigest)
      if let until = submitted.coverageUntil { $0.coverageUntil = until.milliseconds }
      $0.dropped = UInt32(clamping: submitted.dropped)
      $0.capacity = UInt32(clamping: submitted.capacity)
      if let at = submitted.at { $0.at = at.milliseconds }
    }
  }

  static func settingsSet(_ set: SettingsSet) -> Carillon_V1_SettingsSet {
    .with {
      $0.name = set.name
      if let value = set.value { $0.value = value }
    }
  }
}
