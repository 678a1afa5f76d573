import Testing

@testable import CarillonModel

/// The expected values were computed with Python's hashlib, base64 and json.
@Suite struct RequestIDTests {
  private let habit: HabitID
  private let schedule: ScheduleID

  init() throws {
    habit = try #require(HabitID(bytes: Array(0..<16)))
    schedule = try #require(ScheduleID(bytes: Array(16..<32)))
  }

  @Test("The ID of an occurrence is the specified hash of habit, schedule, day and minute")
  func occurrence() {
    let nominal = CivilDateTime(date: "2026-11-23", time: "17:00")
    let id = RequestID(habit: habit, schedule: schedule, nominal: nominal)
    #expect(id.description == "c1.hhga6xrejhi63nfk")
    #expect(id.kind == .occurrence)
  }

  @Test(
    "The ID of a repeating request is the specified hash of habit, schedule and trigger",
    arguments: [
      (RequestTrigger.Shape.daily("07:30"), "c1r.qixfpbxh2ew3bk7z"),
      (RequestTrigger.Shape.weekly(.monday, "07:30"), "c1r.yk3dc45ch3umufkc"),
    ])
  func repeating(trigger: RequestTrigger.Shape, text: String) {
    #expect(RequestID(habit: habit, schedule: schedule, trigger: trigger).description == text)
  }

  @Test("A text is read as an ID only if it has a prefix and 16 base32 characters")
  func parsing() throws {
    let texts = [
      "c1.hhga6xrejhi63nfk", "c1d.hhga6xrejhi63nfk", "c1i.hhga6xrejhi63nfk",
      "c1o.hhga6xrejhi63nfk", "c1r.qixfpbxh2ew3bk7z",
    ]
    for (text, kind) in zip(texts, RequestID.Kind.allCases) {
      let id = try #require(RequestID(text))
      #expect(id.description == text && id.kind == kind)
      #expect(NotificationID(text) == .request(id))
    }
    #expect(texts.compactMap(RequestID.init).sorted().map(\.description) == texts)
    let others = [
      "", "c1", "c1.", "hhga6xrejhi63nfk", ".hhga6xrejhi63nfk", "c1x.hhga6xrejhi63nfk",
      "C1.hhga6xrejhi63nfk", "c1.Hhga6xrejhi63nfk", "c1.hhga6xrejhi63nf", "c1.hhga6xrejhi63nfkk",
      "c1.hhga6xrejhi63nf1", "c1.hhga6xrejhi63nf\u{E9}", "sale",
    ]
    for text in others {
      #expect(RequestID(text) == nil, "\(text)")
      #expect(NotificationID(text) == .other(text))
      #expect(NotificationID(text).description == text)
    }
  }

  @Test("IDs sort like the bytes of their texts")
  func order() throws {
    let nominals = (0..<200).compactMap { minute in
      TimeOfDay(minute: minute).map { CivilDateTime(date: "2026-11-23", time: $0) }
    }
    let single = nominals.map { RequestID(habit: habit, schedule: schedule, nominal: $0) }
    let repeating = nominals.map {
      RequestID(habit: habit, schedule: schedule, trigger: .daily($0.time))
    }
    let sorted = (single + repeating).sorted().map { Array($0.description.utf8) }
    for (left, right) in zip(sorted, sorted.dropFirst()) {
      #expect(left.lexicographicallyPrecedes(right))
    }
  }

  @Test("The fingerprint is the specified hash of trigger and content")
  func fingerprint() {
    let content = RequestContent(
      title: "Gym \"A/B\" \\ é\u{2028}\n\u{1}\u{7F}", body: "So?\t", thread: "t",
      data: ["z": "1", "é": "2", "a": "/", "Z": "3"])
    var json: [UInt8] = []
    content.appendCanonicalJSON(to: &json)
    #expect(
      String(decoding: json, as: UTF8.self)
        == #"{"body":"So?\t","data":{"Z":"3","a":"/","z":"1","é":"2"},"thread":"t","#
        + #""title":"Gym \"A/B\" \\ é"# + "\u{2028}" + #"\n\u0001"# + "\u{7F}" + #""}"#)
    #expect(
      NotificationRequest.fingerprint(
        trigger: RequestTrigger(.daily("07:30"), zone: "Europe/Berlin"), content: content)
        == "bea58d073803fa6f")
  }
}
