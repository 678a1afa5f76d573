import Foundation
import Testing

@testable import CarillonModel

@Suite struct CivilDateTests {
  @Test("Every accepted date has the same components and weekday as in Foundation")
  func components() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let wrong = CivilDate.accepted.filter { date in
      let noon = Date(timeIntervalSince1970: Double(date.rawValue) * 86_400 + 43_200)
      let expected = calendar.dateComponents([.year, .month, .day, .weekday], from: noon)
      let (year, month, day) = date.components
      // Foundation counts from Sunday as 1, ISO 8601 from Monday as 1.
      return year != expected.year || month != expected.month || day != expected.day
        || Int(date.weekday.rawValue) % 7 + 1 != expected.weekday
        || CivilDate(year: year, month: month, day: day) != date
    }
    #expect(wrong == [])
  }

  @Test("A date equals the date of its components for 10,000 years, and beyond them nothing traps")
  func roundTrip() {
    let wrong = stride(from: Int32(-719_162), through: 2_932_896, by: 97).filter { raw in
      let date = CivilDate(rawValue: raw)
      let (year, month, day) = date.components
      return CivilDate(year: year, month: month, day: day) != date
        || CivilDate(date.description) != date
    }
    #expect(wrong == [])
    for raw in [Int32.min, .max] {
      #expect(!CivilDate(rawValue: raw).description.isEmpty)
      #expect(Weekday.allCases.contains(CivilDate(rawValue: raw).weekday))
    }
  }

  @Test("The accepted dates are 1970-01-01 to 2200-12-31")
  func accepted() {
    #expect(CivilDate.accepted.lowerBound.description == "1970-01-01")
    #expect(CivilDate.accepted.upperBound.description == "2200-12-31")
  }

  @Test(
    "An invalid date is rejected",
    arguments: [
      "2026-02-30", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-04-31",
      "2026-1-01", "2026-01-1", "26-01-01", "02026-01-01", "2026/01/01", "2026-01-01T", "", "-",
      "2026-01--1", "+026-01-01", "0000-01-01", "２０２６-01-01",
    ])
  func refused(text: String) {
    #expect(CivilDate(text) == nil)
  }

  @Test("Leap days follow the Gregorian calendar")
  func leapDays() {
    let leapYears = (1..<3_000).filter { CivilDate(year: $0, month: 2, day: 29) != nil }
    #expect(leapYears.contains(2_000) && leapYears.contains(2_024))
    #expect(!leapYears.contains(1_900) && !leapYears.contains(2_100))
    #expect(leapYears.count == 2_999 / 4 - 2_999 / 100 + 2_999 / 400)
  }

  @Test("Adding days stops at the first and last representable date")
  func saturation() {
    #expect(CivilDate(rawValue: .max).adding(days: 1).rawValue == .max)
    #expect(CivilDate(rawValue: .min).adding(days: .min).rawValue == .min)
    #expect(CivilDate(rawValue: 5).adding(days: .max).rawValue == .max)
    #expect(CivilDate(rawValue: .min).days(to: CivilDate(rawValue: .max)) == Int(UInt32.max))
  }
}
