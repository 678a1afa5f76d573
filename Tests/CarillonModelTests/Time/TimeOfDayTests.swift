import CarillonModel
import Testing

@Suite struct TimeOfDayTests {
  @Test("The text of every minute parses back")
  func roundTrip() {
    for minute in 0..<1_440 {
      let time = TimeOfDay(minute: minute)
      #expect(time.flatMap { TimeOfDay($0.description) } == time)
    }
    #expect(("07:05" as TimeOfDay).minute == 425)
  }

  @Test(
    "An invalid time is rejected",
    arguments: ["24:00", "25:00", "12:60", "7:30", "07:3", "0730", "07:30:00", "", ":", "-1:30"])
  func refused(text: String) {
    #expect(TimeOfDay(text) == nil)
  }

  @Test("Minutes outside the day are rejected", arguments: [-1, 1_440, Int.min, Int.max])
  func refusedMinutes(minute: Int) {
    #expect(TimeOfDay(minute: minute) == nil)
  }
}
