import CarillonModel
import CarillonTestSupport
import CarillonWire
import Testing

@Suite("Events as JSON")
struct EventJSONTests {
  private let habit = "01020304-0506-0708-090a-0b0c0d0e0f10"

  @Test(
    "An invalid rule is rejected with the name of the invalid part",
    arguments: [
      (#"{}"#, "exactly one of once"), (#"{"once":"2026-12-24","weekly":["mon"]}"#, "exactly one"),
      (#"{"recurrence":"DTSTART:20260105T073000\nRRULE:FREQ=YEARLY;BYEASTER=0"}"#, "BYEASTER"),
      (#"{"interval":14400}"#, "from"),
      (#"{"interval":14400,"from":"2026-11-23T08:00:00Z","window":"08:00-08:00"}"#, "window"),
      (#"{"relative":{"offsetSeconds":0}}"#, "base"),
      (#"{"relative":{"base":{"interval":60},"offsetSeconds":0}}"#, "from"),
      (#"{"place":{"latitude":0,"longitude":0,"radius":1,"crossing":"both"}}"#, "crossing"),
      (#"{"place":{"latitude":0,"longitude":0,"radius":1,"height":3}}"#, "height"),
      (#"{"place":{"latitude":0.5,"longitude":0,"radius":1}}"#, "latitude"),
      (#"{"unknown":-1,"bytes":""}"#, "unknown is -1"),
      (#"{"unknown":48,"bytes":""}"#, "unknown is 48"),
      (#"{"unknown":33909575946061,"bytes":""}"#, "unknown is 33909575946061"),
    ])
  func badRule(rule: String, says: String) {
    let json =
      #"{"type":"schedule.set","habit":"\#(habit)","schedule":"\#(habit)","rule":\#(rule)}"#
    #expect {
      try EventJSON.payload(fromJSON: Array(json.utf8))
    } throws: {
      ($0 as? ModelError)?.code == .invalidValue && "\($0)".contains(says)
    }
  }

  @Test("Written JSON reads back as the same payload", arguments: 0..<15)
  func roundTrip(seed: UInt64) throws {
    var generator = PayloadGenerator(SeededGenerator(seed: seed))
    for _ in 0..<60 {
      let payload = generator.payload()
      if case .unknown = payload { continue }
      let text = EventJSON.object(payload).description
      var expected = payload
      // `replaces` has no meaning in an event that creates a habit, and JSON leaves it out.
      if case .habitCreated(var fields) = payload {
        fields.replaces = []
        expected = .habitCreated(fields)
      }
      #expect(try EventJSON.anyPayload(fromJSON: Array(text.utf8)) == expected, "seed \(seed)")
    }
  }

  @Test("The type comes first, then the fields, then the envelope")
  func line() throws {
    let payload = Payload.entryRecorded(
      EntryRecorded(
        habit: try #require(HabitID(habit)), date: CivilDate("2026-11-23"),
        at: Instant(rfc3339: "2026-11-23T17:04:05.678+01:00")))
    let event = StoredEvent(
      id: EventID(words: (Timestamp(milliseconds: 1_795_363_200_000).rawValue, 1, 2, 3)),
      replica: ReplicaID(high: 1, low: 2), sequence: SequenceNumber(rawValue: 17),
      payload: [1, 2])
    let line = EventJSON.object(
      event, payload: payload, position: LogPosition(rawValue: 5), name: "phone",
      export: StoreID(high: 1, low: 2)
    ).description
    #expect(
      line
        == #"{"type":"entry.recorded","habit":"\#(habit)","date":"2026-11-23","kind":"mark","#
        + #""value":1000,"at":"2026-11-23T16:04:05.678Z","id":"\#(event.id)","position":5,"#
        + #""replica":"00000000-0000-0001-0000-000000000002","name":"phone","sequence":17,"#
        + #""timestamp":"2026-11-22T16:00:00Z","#
        + #""store":"00000000-0000-0001-0000-000000000002","payload":"AQI="}"#)
    #expect(try EventJSON.event(fromJSON: Array(line.utf8), of: StoreID(high: 1, low: 2)) == event)
  }

  @Test("An exported line of another store is rejected, and a line without a store is accepted")
  func otherStore() throws {
    let line =
      #"{"id":"\#(String(repeating: "0", count: 64))","replica":"\#(habit)","#
      + #""sequence":1,"payload":"AQI=""#
    let store = StoreID(high: 1, low: 2)
    _ = try EventJSON.event(fromJSON: Array((line + "}").utf8), of: store)
    _ = try EventJSON.event(fromJSON: Array((line + #","store":"\#(store)"}"#).utf8), of: store)
    #expect(throws: ModelError.self) {
      try EventJSON.event(fromJSON: Array((line + #","store":"\#(habit)"}"#).utf8), of: store)
    }
  }

  @Test("Unknown and unreadable payloads keep their envelope")
  func strangers() {
    let event = StoredEvent(
      id: EventID(words: (0, 1, 2, 3)), replica: ReplicaID(high: 1, low: 2),
      sequence: .first, payload: [1])
    func line(_ payload: Payload?) -> String {
      EventJSON.object(event, payload: payload, position: .start, name: "phone").description
    }
    let unknown = UInt32(Payload.Kind.allCases.count + 1)
    #expect(
      line(.unknown(kind: unknown)).hasPrefix(#"{"type":"unknown.\#(unknown)","id":"0000"#))
    #expect(line(nil).hasPrefix(#"{"type":"unreadable","id":"0000"#))
  }

  @Test(
    "An invalid line is rejected with the field and the allowed values",
    arguments: [
      (#"{"type":"entry.recorded"}"#, "habit: is missing; entry.recorded needs a UUID"),
      (
        #"{"type":"entry.recorded","habit":"HABIT","date":"2026-02-30"}"#,
        #"date: is "2026-02-30"; a date such as 2026-11-23 is allowed"#
      ),
      (
        #"{"type":"entry.recorded","habit":"HABIT","date":"2026-02-03","value":1.5}"#,
        "value: is 1.5; a whole number is allowed"
      ),
      (
        #"{"type":"entry.recorded","habit":"HABIT","date":"2026-02-03","value":-1}"#,
        "value: -1 is out of range; from 0 to 1000000000000 is allowed"
      ),
      (
        #"{"type":"habit.deleted","habit":"HABIT","color":1}"#,
        "color: is not a field of habit.deleted, which has type, habit, replaces"
      ),
      (
        #"{"type":"habit.created","habit":"HABIT","title":"Walk","replaces":["EVENT"]}"#,
        "replaces: is not a field of habit.created, which has type, habit, title, kind, unit, "
          + "target, direction, group, owner, start, end, goal, question, notes, order"
      ),
      (
        #"{"type":"habit.edited","habit":"HABIT","title":"Walk","replaces":["EVENT","EVENT"]}"#,
        "replaces: names the event EVENT twice; name each once"
      ),
      (
        #"{"type":"note.recorded","habit":"HABIT","date":"2026-02-03","replaces":["EVENT",null]}"#,
        "replaces: is a list; a list; each element an event ID of 64 hexadecimal digits is allowed"
      ),
      (
        #"{"type":"habit.edited","habit":"HABIT","start":5}"#,
        "start: is 5; a date such as 2026-11-23 is allowed"
      ),
      (
        #"{"type":"day.marked","habit":"HABIT","from":"2026-01-01","mark":"done"}"#,
        #"mark: is "done"; one of clear, skip, no is allowed"#
      ),
      (#"[1]"#, "an event must be a JSON object, not a list"),
      (
        #"{"type":"habit.deleted",}"#,
        "not valid JSON at byte 25: expected a name in quotes"
      ),
    ])
  func refused(line: String, message: String) {
    let event = String(repeating: "0a", count: 32)
    let json = line.replacing("HABIT", with: habit).replacing("EVENT", with: event)
    #expect {
      try EventJSON.payload(fromJSON: Array(json.utf8))
    } throws: {
      #expect("\($0)" == message.replacing("EVENT", with: event))
      return true
    }
  }

  @Test("A kind that only the device itself records cannot be appended")
  func notAppendable() throws {
    let line = Array(#"{"type":"permission.changed","status":"denied"}"#.utf8)
    #expect(throws: ModelError.self) { try EventJSON.payload(fromJSON: line) }
    #expect(
      try EventJSON.anyPayload(fromJSON: line)
        == .permissionChanged(PermissionChanged(Permission(status: .denied))))
  }

  @Test("An omitted member has its default value")
  func defaults() throws {
    let line =
      #"{"type":"schedule.set","habit":"\#(habit)","schedule":"\#(habit)","#
      + #""rule":{"weekly":["mon"]}}"#
    let id = try #require(ScheduleID(habit))
    #expect(
      try EventJSON.payload(fromJSON: Array(line.utf8))
        == .scheduleSet(
          ScheduleSet(
            habit: try #require(HabitID(habit)),
            schedule: Schedule(id: id, rule: .weekly([.monday]), times: []))))
  }

  @Test(
    "An incomplete exported line is rejected",
    arguments: [
      #"{}"#, #"{"id":"00"}"#,
      #"{"id":"ID","replica":"HABIT","sequence":0,"payload":"AQI="}"#,
      #"{"id":"ID","replica":"HABIT","sequence":1,"payload":"*"}"#,
      #"{"id":"ID","replica":"HABIT","sequence":1,"payload":""}"#,
    ])
  func badExport(line: String) {
    let json = line.replacing("ID", with: String(repeating: "0", count: 64))
      .replacing("HABIT", with: habit)
    #expect(throws: ModelError.self) {
      try EventJSON.event(fromJSON: Array(json.utf8), of: StoreID(high: 1, low: 2))
    }
  }
}
