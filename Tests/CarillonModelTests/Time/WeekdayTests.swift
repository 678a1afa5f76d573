import CarillonModel
import Testing

@Suite struct WeekdayTests {
  @Test("A weekday is parsed from three letters in either case, and from nothing else")
  func abbreviations() {
    for day in Weekday.allCases {
      #expect(Weekday(abbreviation: day.abbreviation) == day)
      #expect(Weekday(abbreviation: day.abbreviation.uppercased()) == day)
    }
    #expect(Weekday.allCases.map(\.abbreviation).first == "mon")
    for wrong in ["", "mo", "monday", "xyz"] { #expect(Weekday(abbreviation: wrong) == nil) }
  }

  @Test("The week starts on Monday, which is 1")
  func order() {
    #expect(Weekday.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
    #expect(("2026-11-23" as CivilDate).weekday == .monday)
  }
}
