import CarillonModel
import Foundation
import Testing

@Suite("Bridges to Foundation")
struct BridgeTests {
  @Test(
    "An instant becomes a date and the same instant again",
    arguments: [0, 1, -1, 1_795_000_000_123, -62_135_596_800_000, (1 << 45) - 1] as [Int64])
  func dates(milliseconds: Int64) {
    let instant = Instant(milliseconds: milliseconds)
    #expect(Instant(Date(instant)) == instant)
  }

  @Test("A date beyond all instants becomes the last or the first one")
  func extremes() {
    #expect(Instant(Date(timeIntervalSince1970: 1e300)).milliseconds == .max)
    #expect(Instant(Date(timeIntervalSince1970: -1e300)).milliseconds == .min)
  }

  @Test("A civil date becomes components and the same date again")
  func components() {
    let date: CivilDate = "2028-02-29"
    #expect(DateComponents(date) == DateComponents(year: 2028, month: 2, day: 29))
    #expect(CivilDate(DateComponents(date)) == date)
    #expect(CivilDate(DateComponents(year: 2027, month: 2, day: 29)) == nil)
    #expect(CivilDate(DateComponents(year: 2027, month: 2)) == nil)
    let hebrew = Calendar(identifier: .hebrew)
    #expect(CivilDate(DateComponents(calendar: hebrew, year: 5788, month: 2, day: 3)) == nil)
  }

  @Test("Rules take durations in whole seconds or minutes")
  func durations() {
    var interval = Schedule.Interval(every: .seconds(5_400), from: Instant(milliseconds: 0))
    #expect(interval == Schedule.Interval(seconds: 5_400, from: Instant(milliseconds: 0)))
    interval.every = .milliseconds(90_999)
    #expect(interval.seconds == 90)
    let relative = Schedule.Relative(
      to: .weekly([.monday]), edge: .end, offset: .seconds(-900), duration: .seconds(3_600),
      repeatCount: 2, repeatInterval: .seconds(300))
    #expect(
      relative
        == Schedule.Relative(
          to: .weekly([.monday]), edge: .end, offsetSeconds: -900, durationMinutes: 60,
          repeatCount: 2, repeatSeconds: 300))
    var schedule = Schedule(rule: .weekly([]), times: [], doneWithin: .seconds(600))
    #expect(schedule.doneWithinSeconds == 600)
    schedule.doneWithin = nil
    #expect(schedule.doneWithinSeconds == nil)
  }
}
