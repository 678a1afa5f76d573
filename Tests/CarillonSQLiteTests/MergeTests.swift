import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Testing

/// Each merge rule, in every order of arrival.
struct MergeTests {
  private static let habit = HabitID(high: 2, low: 1)
  private static let other = HabitID(high: 2, low: 2)
  private static let schedule = ScheduleID(high: 3, low: 1)
  private static let date = CivilDate(rawValue: 20_780)
  private static let phone = ReplicaID(high: 7, low: 1)
  private static let watch = ReplicaID(high: 7, low: 2)

  @Test("A field has the value of its greatest event, even one before the habit's creation")
  func fields() async throws {
    var history = History()
    try history.add(.habitEdited(HabitFields(habit: Self.habit, values: [.title: .text("First")])))
    try history.add(
      .habitCreated(
        HabitFields(habit: Self.habit, values: [.title: .text("Walk"), .unit: .text("km")])))
    try history.add(
      .habitEdited(HabitFields(habit: Self.habit, values: [.unit: .none, .target: .integer(5)])))
    try await history.expectOne { state in
      #expect(state.habits[Self.habit]?.title == "Walk")
      #expect(state.habits[Self.habit]?.unit == nil)
      #expect(state.habits[Self.habit]?.target == 0.005)
    }
  }

  @Test("A date's note is that of its greatest event, even if that one removes the note")
  func notes() async throws {
    for texts in [["First", "Second", nil], [nil, "First", "Second"]] as [[String?]] {
      var history = History()
      for text in texts {
        try history.add(
          .noteRecorded(NoteRecorded(habit: Self.habit, date: Self.date, text: text)))
      }
      let expected = ReferenceFold(history.events).dateNotes
      #expect(
        expected == (texts.last == nil as String? ? [:] : [Self.habit: [Self.date: "Second"]]))
      for events in history.events.permutations() {
        try await Fixture.run(events) { fixture in
          let projections = try await fixture.open()
          let found = try await projections.read { reader in
            try reader.notes(of: Self.habit, in: Self.date...Self.date)
          }
          #expect(found == (expected[Self.habit] ?? [:]).mapValues { [$0] })
          await projections.close()
        }
      }
    }
  }

  @Test("Of concurrent edits the lesser is lost in every order, and an unstated edit loses nothing")
  func conflicts() async throws {
    var history = History()
    func edit(_ title: String, replacing events: [EventID]) throws -> EventID {
      var fields = HabitFields(habit: Self.habit, values: [.title: .text(title)])
      fields.replaces = events
      try history.add(.habitEdited(fields))
      return try #require(history.events.last).id
    }
    try history.add(.habitCreated(HabitFields(habit: Self.habit, values: [.title: .text("Walk")])))
    let created = try #require(history.events.last).id
    let jog = try edit("Jog", replacing: [created])
    let run = try edit("Run", replacing: [created])
    let field = EditConflict.Field.habit(.title)
    let lost = EditConflict(
      habit: Self.habit, field: field, lost: .init(event: jog, value: .habit(.text("Jog"))),
      kept: .init(event: run, value: .habit(.text("Run"))))
    try await expect([lost], of: history)
    let unstated = history
    _ = try edit("Hike", replacing: [jog, run])
    try await expect([], of: history)
    history = unstated
    _ = try edit("Hike", replacing: [])
    try await expect([], of: history)
  }

  @Test("An edit that a deletion did not see is lost in every order, and one that it saw is not")
  func hiddenEdits() async throws {
    var history = History()
    try history.add(.habitCreated(HabitFields(habit: Self.habit, values: [.title: .text("Walk")])))
    let created = try #require(history.events.last).id
    var fields = HabitFields(habit: Self.habit, values: [.title: .text("Jog")])
    fields.replaces = [created]
    try history.add(.habitEdited(fields))
    let jog = try #require(history.events.last).id
    var deleted = HabitDeleted(habit: Self.habit)
    deleted.replaces = [created]
    try history.add(.habitDeleted(deleted))
    let first = try #require(history.events.last).id
    let lost = EditConflict(
      habit: Self.habit, field: .habit(.title),
      lost: .init(event: jog, value: .habit(.text("Jog"))),
      kept: .init(event: first, value: .deleted))
    try await expect([lost], of: history)
    deleted.replaces = [jog]
    try history.add(.habitDeleted(deleted))
    try await expect([], of: history)
  }

  /// Applies a history in every order, and expects the same conflicts.
  private func expect(_ conflicts: [EditConflict], of history: History) async throws {
    #expect(ReferenceFold(history.events).conflicts == Set(conflicts))
    for events in history.events.permutations() {
      try await Fixture.run(events) { fixture in
        let projections = try await fixture.open()
        #expect(try await projections.read { try $0.conflicts() } == conflicts)
        await projections.close()
      }
    }
  }

  @Test("A habit that was never created is not in the state")
  func uncreated() async throws {
    var history = History()
    try history.add(.habitEdited(HabitFields(habit: Self.habit, values: [.title: .text("A")])))
    try history.add(.scheduleSet(ScheduleSet(habit: Self.habit, schedule: .daily(at: ["08:00"]))))
    try await history.expectOne { #expect($0.habits.isEmpty) }
  }

  @Test("The greatest event determines whether a habit is archived")
  func archived() async throws {
    var history = History()
    try history.add(.habitCreated(HabitFields(creating: Habit(id: Self.habit, title: "Walk"))))
    for isArchived in [true, false, true] {
      try history.add(
        .habitArchivedSet(HabitArchivedSet(habit: Self.habit, isArchived: isArchived)))
    }
    try await history.expectOne { #expect($0.habits[Self.habit]?.isArchived == true) }
  }

  @Test("A restore reverts only the deletes that it names")
  func deletes() async throws {
    var history = History()
    try history.add(.habitCreated(HabitFields(creating: Habit(id: Self.habit, title: "Walk"))))
    let first = try history.add(.habitDeleted(HabitDeleted(habit: Self.habit)))
    try history.add(.habitRestored(HabitRestored(habit: Self.habit, deletes: [first.id])))
    try await history.expectOne { #expect($0.habits[Self.habit]?.isDeleted == false) }
    let second = try history.add(.habitDeleted(HabitDeleted(habit: Self.habit)))
    try await history.expectOne { #expect($0.habits[Self.habit]?.isDeleted == true) }
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      #expect(try await projections.read { try $0.deletes(of: Self.habit) } == [second.id])
      await projections.close()
    }
  }

  @Test("A restore of another habit reverts nothing")
  func deletesOfAnother() async throws {
    var history = History()
    try history.add(.habitCreated(HabitFields(creating: Habit(id: Self.habit, title: "Walk"))))
    let delete = try history.add(.habitDeleted(HabitDeleted(habit: Self.habit)))
    try history.add(.habitRestored(HabitRestored(habit: Self.other, deletes: [delete.id])))
    try await history.expectOne { #expect($0.habits[Self.habit]?.isDeleted == true) }
  }

  @Test("An entry is live while one of its recordings is not voided")
  func entries() async throws {
    var history = History()
    let first = try history.add(.entryRecorded(EntryRecorded(habit: Self.habit, date: Self.date)))
    let entry = EntryKind.mark.entryID(habit: Self.habit, date: Self.date, event: first.id)
    try history.add(
      .entryVoided(EntryVoided(items: [.init(entry: entry, recordings: [first.id])])))
    try await history.expectOne { #expect($0.days.isEmpty) }
    let again = try history.add(
      .entryRecorded(EntryRecorded(habit: Self.habit, date: Self.date, value: 2_000)))
    try await history.expectOne { state in
      #expect(state.days[Self.habit]?[Self.date] == StoreState.Day(amount: 2, entryCount: 1))
    }
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      let (entries, was) = try await projections.read {
        (
          try $0.entries(of: Self.habit, on: Self.date),
          try $0.knownDays().holds(entry, of: Self.habit, on: Self.date)
        )
      }
      #expect(entries.map(\.recordings) == [[again.id]])
      #expect(was)
      await projections.close()
    }
  }

  @Test("Recordings of one entry count once, with the greatest event's value; amounts add up")
  func amounts() async throws {
    var history = History()
    let of = { EntryRecorded(habit: Self.habit, date: Self.date, kind: $0, value: $1) }
    try history.add(.entryRecorded(of(.mark, 1_000)))
    try history.add(.entryRecorded(of(.mark, 3_000)), replica: Self.watch)
    try history.add(.entryRecorded(of(.amount, 250)))
    try history.add(.entryRecorded(of(.amount, 250)))
    try await history.expectOne { state in
      #expect(state.days[Self.habit]?[Self.date] == StoreState.Day(amount: 3.5, entryCount: 3))
    }
  }

  @Test("The mark of a date is an LWW register")
  func marks() async throws {
    var history = History()
    let marked = {
      DayMarked(
        habit: Self.habit, first: Self.date.adding(days: $0), last: Self.date.adding(days: $1),
        mark: $2)
    }
    try history.add(.dayMarked(marked(0, 2, .skip)))
    try history.add(.dayMarked(marked(1, 1, .clear)))
    try history.add(.dayMarked(marked(2, 3, .no)))
    try await history.expectOne { state in
      let marks = (0...3).map { state.days[Self.habit]?[Self.date.adding(days: $0)]?.mark }
      #expect(marks == [.skip, .clear, .no, .no])
    }
  }

  @Test("A pause is an LWW register")
  func pauses() async throws {
    var history = History()
    var pause = Pause(id: PauseID(high: 4, low: 1), habit: nil, first: Self.date, last: nil)
    try history.add(.pauseSet(pause))
    pause.last = Self.date.adding(days: 3)
    try history.add(.pauseSet(pause))
    try await history.expectOne { #expect($0.pauses == [pause.id: pause]) }
  }

  @Test("Permissions are a per-replica LWW register, and activity is a max register")
  func devices() async throws {
    var history = History()
    try history.add(.appActive(AppActive(date: Self.date)), replica: Self.phone)
    try history.add(.appActive(AppActive(date: Self.date.adding(days: -1))), replica: Self.phone)
    try history.add(
      .permissionChanged(PermissionChanged(Permission(status: .authorized))), replica: Self.phone)
    try history.add(
      .permissionChanged(PermissionChanged(Permission(status: .denied))), replica: Self.watch)
    try await history.expectOne { state in
      #expect(state.lastActive == Self.date)
      #expect(state.devices[Self.phone]?.permission.status == .authorized)
      #expect(state.devices[Self.watch]?.permission.status == .denied)
    }
  }

  @Test("A device's switches are LWW registers for all replicas, and a prompt is permanent")
  func switches() async throws {
    var history = History()
    try history.add(.alertsSet(AlertsSet(device: Self.phone, isOn: true)), replica: Self.watch)
    try history.add(
      .alertsSet(AlertsSet(device: Self.phone, isOn: false, soundIsOn: true)), replica: Self.phone)
    try history.add(.permissionAsked(PermissionAsked(step: .prompted)), replica: Self.watch)
    try history.add(.permissionAsked(PermissionAsked(step: .primed)), replica: Self.watch)
    try await history.expectOne { state in
      #expect(state.devices[Self.phone]?.alerts == Alerts(soundIsOn: true))
      #expect(state.devices[Self.phone]?.wasAsked == false)
      #expect(state.devices[Self.watch]?.wasAsked == true)
    }
  }

  @Test("Any replica names, describes and retires a device, each an LWW register")
  func decisions() async throws {
    var history = History()
    try history.add(.deviceDescribed(Self.description("phone", .phone)), replica: Self.phone)
    try history.add(
      .deviceSet(DeviceSet(device: Self.phone, name: "Pixel", role: .tablet)), replica: Self.watch)
    try history.add(
      .deviceSet(DeviceSet(device: Self.phone, isRetired: true)), replica: Self.watch)
    let retired = try #require(history.events.last).id.instant
    try history.add(.deviceDescribed(Self.description("again", .phone)), replica: Self.phone)
    try await history.expectOne { state in
      let phone = state.devices[Self.phone]
      #expect(phone?.name == "Pixel")
      #expect(phone?.description == Self.description("Pixel", .tablet))
      #expect(phone?.retiredSince == retired)
    }

    var decided = History()
    for (name, isRetired) in [("Old", true), ("Older", nil), ("New", false)] {
      try decided.add(
        .deviceSet(DeviceSet(device: Self.phone, name: name, isRetired: isRetired)),
        replica: Self.watch)
    }
    try await decided.expectOne { state in
      #expect(state.devices[Self.phone]?.retiredSince == nil)
      #expect(state.devices[Self.phone]?.name == "New")
    }
  }

  private static func description(_ name: String, _ role: Device.Role) -> DeviceDescription {
    DeviceDescription(name: name, role: role, zone: "UTC", zoneDataVersion: "", capacity: 64)
  }

  @Test("The greatest event ID of a submitted receipt determines when it fires, if at all")
  func submitted() async throws {
    var history = History()
    let subject = ReceiptSubject.occurrence(
      OccurrenceID(
        habit: HabitID(high: 1, low: 1), schedule: ScheduleID(high: 1, low: 2),
        nominal: CivilDateTime(date: "2026-11-23", time: "17:00")))
    let later = Instant(milliseconds: 1_795_455_000_000)
    for (replica, fires) in [
      (Self.phone, [later, nil]), (Self.watch, [nil, Instant(milliseconds: 0), later]),
    ] {
      for fireAt in fires {
        try history.add(
          .receiptAdvanced(ReceiptAdvanced(subject: subject, state: .submitted, fireAt: fireAt)),
          replica: replica)
      }
    }
    try await history.expectOne { state in
      let receipts = state.receipts.values.joined()
      #expect(receipts.count == 2)
      #expect(receipts.first { $0.replica == Self.phone }?.fireAt == nil)
      #expect(receipts.first { $0.replica == Self.watch }?.fireAt == later)
    }
  }

  @Test("A device description is a per-replica LWW register")
  func descriptions() async throws {
    var history = History()
    for zone in ["Europe/Berlin", "Asia/Tokyo"] {
      try history.add(
        .deviceDescribed(
          DeviceDescription(
            name: "phone", role: .phone, zone: zone, zoneDataVersion: "2025b", capacity: 64,
            predecessor: Self.watch)))
    }
    try await history.expectOne {
      #expect($0.devices[Self.phone]?.description?.zone == "Asia/Tokyo")
    }
  }

  @Test("A snooze is an LWW register of its occurrence and can be withdrawn")
  func snoozes() async throws {
    var history = History()
    func snooze(_ time: TimeOfDay, number: Int = 0, until: Int64?) -> Payload {
      .snoozeSet(
        SnoozeSet(
          habit: Self.habit,
          snooze: Snooze(
            schedule: Self.schedule, nominal: CivilDateTime(date: Self.date, time: time),
            number: number,
            until: until.map { Instant(milliseconds: $0) })))
    }
    try history.add(snooze("08:00", until: 7))
    try history.add(snooze("08:00", until: 5))
    try history.add(snooze("08:00", number: 1, until: 6))
    try history.add(snooze("09:00", until: 8), replica: Self.watch)
    try history.add(snooze("09:00", until: nil))
    try await history.expectOne { state in
      #expect(state.snoozes[Self.habit]?.map(\.until?.milliseconds) == [5, 6])
    }
  }

  @Test("A setting is an LWW register by name, and an unknown value leaves the default")
  func settings() async throws {
    var history = History()
    try history.add(.settingsSet(SettingsSet(.dayStart, to: "05:00")))
    try history.add(.settingsSet(SettingsSet(.dayStart, to: "04:00")), replica: Self.watch)
    try history.add(.settingsSet(SettingsSet(.horizonDays, to: "many")))
    try history.add(.settingsSet(SettingsSet(name: "moonPhase", value: "full")))
    try history.add(.settingsSet(SettingsSet(.quietHours, to: nil)))
    try await history.expectOne { state in
      #expect(state.settings == StoreSettings(dayStart: "04:00"))
    }
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      let (texts, health) = try await projections.read {
        (try $0.settingTexts(), try $0.health())
      }
      #expect(texts == ["dayStart": "04:00", "horizonDays": "many", "moonPhase": "full"])
      #expect(health.count == 1)
      #expect(health.first?.contains("horizonDays") == true, "\(health)")
      await projections.close()
    }
  }

  @Test("The last submitted plan is a per-replica LWW register")
  func submissions() async throws {
    var history = History()
    func submitted(_ until: Int64?) -> Payload {
      .planSubmitted(
        PlanSubmitted(
          added: 1, removed: 0, idsDigest: [UInt8](repeating: 1, count: 32),
          coverageUntil: until.map { Instant(milliseconds: $0) }, dropped: 0, capacity: 64))
    }
    try history.add(submitted(9))
    try history.add(submitted(5))
    try history.add(submitted(3), replica: Self.watch)
    let last = try history.add(submitted(nil), replica: Self.watch)
    try await history.expectOne { state in
      #expect(state.devices[Self.phone]?.coverageUntil == Instant(milliseconds: 5))
      #expect(state.devices[Self.watch]?.coverageUntil == nil)
      #expect(
        state.devices[Self.watch]?.lastSeen
          == Instant(milliseconds: last.id.timestamp.milliseconds))
    }
  }

  @Test("Unknown kinds and unreadable payloads add no rows and are counted")
  func unknown() async throws {
    var history = History()
    try history.add(.appActive(AppActive(date: Self.date)))
    let known = history.events
    history.add([0xFA, 0x01, 0x00])
    history.add([0xFF])
    history.add([0x0A, 0x00])
    var digests: Set<StateDigest> = []
    for events in [known, history.events] {
      try await Fixture.run(events) { fixture in
        let projections = try await fixture.open()
        digests.insert(try await projections.digest())
        let counts = try await projections.read {
          ($0.unknownEventCount, $0.unreadableEventCount)
        }
        #expect(counts == (events.count > 1 ? (1, 2) : (0, 0)))
        await projections.close()
      }
    }
    #expect(digests.count == 1)
  }

  @Test("An event with a timestamp beyond clocks sets no value, so later events can win")
  func beyondClocks() async throws {
    var history = History()
    let beyond: Int64 = 1 << 45
    func alerts(_ isOn: Bool) -> Payload { .alertsSet(AlertsSet(device: Self.phone, isOn: isOn)) }
    try history.add(alerts(true), replica: Self.phone)
    try history.add(alerts(false), replica: Self.watch, milliseconds: beyond)
    try await history.expectOne { #expect($0.devices[Self.phone]?.alerts.isOn == true) }
    try history.add(alerts(false), replica: Self.watch, milliseconds: beyond - 1)
    try await history.expectOne { #expect($0.devices[Self.phone]?.alerts.isOn == false) }
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      #expect(try await projections.read { $0.unreadableEventCount } == 1)
      await projections.close()
    }
  }
}
