internal import CarillonModel

/// Slots with their rules and conditions, snoozes, settings, and what was given to systems.
extension PayloadGenerator {
  mutating func slot() -> Slot {
    Slot(
      id: id(), rule: rule(), times: array(0...Slot.maxTimes) { $0.time() },
      zone: bool() ? .floating : .fixed(text(1...64)),
      unless: Condition(rawValue: UInt32(int(0...15))), quota: optional { $0.quota() },
      doneWithinSeconds: optional { $0.int(60...31_536_000) }, quietPolicy: element(),
      stopAfterDays: bool() ? nil : int(0...3_650),
      content: Content(
        title: optional { $0.text(0...200) }, body: optional { $0.text(0...1_000) },
        sound: optional { $0.text(0...200) }, level: optional { $0.element() }, data: data()),
      thread: optional { $0.text(0...200) })
  }

  private mutating func rule() -> Rule {
    switch int(1...8) {
    case 1...4: datesRule()
    case 5: .interval(interval())
    case 6: .relative(relative())
    case 7: .place(place())
    default: .unknown(number: UInt32(int(39...47)), bytes: array(0...30) { $0.byte() })
    }
  }

  /// A rule that names dates.
  private mutating func datesRule() -> Rule {
    switch int(1...4) {
    case 1: .once(date())
    case 2: .weekly(Set(array(1...7) { $0.element() as Weekday }))
    case 3: .everyDays(int(1...3_650), from: date())
    default: pick(recurrences).flatMap { Recurrence($0) }.map(Rule.recurrence) ?? .once(date())
    }
  }

  private var recurrences: [String] {
    [
      "DTSTART;VALUE=DATE:20261123\nRRULE:FREQ=MONTHLY;BYDAY=-1FR",
      "DTSTART:20261123T173000\nRRULE:FREQ=DAILY;INTERVAL=2;COUNT=10",
      "DTSTART:20261123T090000\nRRULE:FREQ=WEEKLY;BYDAY=MO\nEXDATE;VALUE=DATE:20261130",
    ]
  }

  private mutating func interval() -> Interval {
    Interval(
      seconds: int(60...31_536_000), from: instant(), window: optional { $0.window() } ?? nil)
  }

  private mutating func window() -> DayWindow? { DayWindow(from: time(), to: time()) }

  private mutating func relative() -> Relative {
    let repeatCount = bool() ? 0 : int(1...Relative.maxRepeats)
    return Relative(
      to: datesRule(), edge: element(), offsetSeconds: int(-31_536_000...31_536_000),
      durationMinutes: int(0...44_640), repeatCount: repeatCount,
      repeatSeconds: repeatCount == 0 ? 0 : int(60...86_400))
  }

  private mutating func place() -> Region {
    Region(
      latitude: Int32(int(-90_000_000...90_000_000)),
      longitude: Int32(int(-180_000_000...180_000_000)), radius: int(1...100_000),
      crossing: element())
  }

  private mutating func quota() -> Quota {
    let periods: [Quota.Period] = [.day, .week, .month, .rolling(days: int(1...366))]
    guard let quota = Quota(count: int(1...1000), per: pick(periods) ?? .day) else {
      preconditionFailure("a quota within its limits is one")
    }
    return quota
  }

  private mutating func data() -> [String: String] {
    var data: [String: String] = [:]
    for _ in 0..<int(0...16) { data[text(0...20)] = text(0...100) }
    return data
  }

  mutating func snoozeSet() -> SnoozeSet {
    SnoozeSet(
      habit: id(),
      snooze: Snooze(
        slot: id(), nominal: CivilDateTime(date: date(), time: time()),
        number: bool() ? 0 : int(0...Relative.maxRepeats), until: optional { $0.instant() },
        ignoresQuietHours: bool()))
  }

  mutating func planSubmitted() -> PlanSubmitted {
    PlanSubmitted(
      added: int(0...10_000), removed: int(0...1_000_000), failed: int(0...10_000),
      idsDigest: array(32...32) { $0.byte() }, coverageUntil: optional { $0.instant() },
      dropped: int(0...1_000), capacity: int(0...10_000), at: optional { $0.instant() })
  }

  mutating func settingsSet() -> SettingsSet {
    SettingsSet(name: text(1...64), value: optional { $0.text(0...200) })
  }

  // MARK: - What meets

  mutating func nearInterval() -> Rule {
    .interval(Interval(seconds: 14_400, from: Instant(milliseconds: 1_795_000_000_000)))
  }

  /// One of few snoozes and settings, or what a device gave to its system; `slot` is one that may
  /// be known.
  mutating func nearPlanning(
    _ habit: HabitID, _ slot: (habit: HabitID, slot: SlotID)?
  ) -> Payload {
    switch int(1...4) {
    case 1: return .planSubmitted(planSubmitted())
    case 2: return .settingsSet(nearSetting())
    default:
      let known = slot ?? (habit, id())
      let nominal = CivilDateTime(date: nearDate(), time: nearTime())
      return .snoozeSet(
        SnoozeSet(
          habit: known.habit,
          snooze: Snooze(
            slot: known.slot, nominal: nominal, number: int(0...1),
            until: int(1...4) == 1 ? nil : nearInstant(), ignoresQuietHours: bool())))
    }
  }

  /// An instant of five weeks around the near dates.
  private mutating func nearInstant() -> Instant {
    Instant(milliseconds: Int64(int(20_755...20_790)) * 86_400_000)
  }

  /// A setting that is known or not, to a value that is understood or not.
  private mutating func nearSetting() -> SettingsSet {
    let texts = [
      ("dayStart", "04:00"), ("dayStart", "late"), ("quietHours", "22:00-07:00"),
      ("horizonDays", "14"), ("digest", "3/300s"), ("moonPhase", "full"), ("quietHours", "none"),
    ]
    let (name, value) = pick(texts) ?? ("dayStart", "03:00")
    return SettingsSet(name: name, value: int(1...4) == 1 ? nil : value)
  }
}
