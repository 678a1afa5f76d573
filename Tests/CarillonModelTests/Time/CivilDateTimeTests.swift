import Testing

@testable import CarillonModel

@Suite struct CivilDateTimeTests {
  @Test("The text is date, T and time, and parses back")
  func text() {
    let moment = CivilDateTime(date: "2026-11-23", time: "07:05")
    #expect(moment.description == "2026-11-23T07:05")
    #expect(CivilDateTime(moment.description) == moment)
    for wrong in ["2026-11-23", "2026-11-23 07:05", "2026-11-23T07:05Z", "2026-11-23T7:05", "T"] {
      #expect(CivilDateTime(wrong) == nil)
    }
  }

  @Test("A civil time equals the one of its civil seconds, even before 1970")
  func seconds() {
    for text in ["1969-12-31T23:59", "1970-01-01T00:00", "2026-11-23T07:05", "1800-03-01T00:01"] {
      let moment = CivilDateTime(text)
      #expect(moment.map { CivilDateTime(civilSeconds: $0.civilSeconds) } == moment)
    }
    #expect(CivilDateTime(civilSeconds: -1).description == "1969-12-31T23:59")
  }

  @Test("An occurrence before the start of the day is due on the previous day")
  func dueDate() {
    let early = CivilDateTime(date: "2026-03-01", time: "03:59")
    #expect(early.dueDate(dayStart: "04:00") == "2026-02-28")
    #expect(early.dueDate(dayStart: "03:59") == "2026-03-01")
    #expect(early.dueDate(dayStart: .midnight) == "2026-03-01")
  }
}
