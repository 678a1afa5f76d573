#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Testing

struct ScheduleRouteTests {
  @Test("A schedule is added, replaced and removed")
  func schedule() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk"}"#)
      let added = try await bench.answer(
        .post, "habits/\(id)/schedules",
        #"{"rule":{"weekly":["sat"]},"times":["10:00"],"unless":["done"]}"#)
      let schedule = try #require(added["schedules"]?[0]?.text)
      try await bench.answer(
        .put, "habits/\(id)/schedules/\(schedule)",
        #"{"rule":{"weekly":["sun"]},"times":["9:00"]}"#
          .replacing("9:00", with: "09:00"))
      let habit = try await bench.answer(.get, "habits/\(id)")
      #expect(
        habit["schedules"]
          == .array([
            ["id": .text(schedule), "rule": ["weekly": [.text("sun")]], "times": [.text("09:00")]]
          ]))
      try await bench.answer(.delete, "habits/\(id)/schedules/\(schedule)")
      #expect(try await bench.answer(.get, "habits/\(id)")["schedules"] == .array([]))
      let gone = try await bench.send(.delete, "habits/\(id)/schedules/\(schedule)")
      #expect(gone.status == .notFound)
    }
  }

  @Test(
    "A schedule in an unknown time zone is refused with its name",
    arguments: [
      #"{"rule":{"weekly":["sat"]},"times":["10:00"],"zone":"Mars/Olympus"}"#,
      #"{"rule":{"recurrence":"DTSTART;TZID=Mars/Olympus:20261123T173000\nRRULE:FREQ=DAILY"}}"#,
    ])
  func unknownZone(schedule: String) async throws {
    try await RouteBench.run { bench in
      let refused = try await bench.send(.post, "preview", schedule)
      #expect(refused.status == .unprocessableContent, "\(refused.text)")
      #expect(refused.detail.contains("Mars/Olympus"), "\(refused.text)")
    }
  }

  @Test(
    "A preview names the next five times of a schedule, and writes nothing",
    arguments: [
      (
        #"{"rule":{"weekly":["mon","wed"]},"times":["07:30"]}"#,
        ["11-25T07:30", "11-30T07:30", "12-02T07:30", "12-07T07:30", "12-09T07:30"]
      ),
      (
        #"{"rule":{"everyDays":40,"from":"2026-11-01"},"times":["08:00"]}"#,
        ["12-11T08:00", "01-20T08:00", "03-01T08:00", "04-10T08:00", "05-20T08:00"]
      ),
      (#"{"rule":{"once":"2027-12-24"},"times":["18:00"]}"#, ["12-24T18:00"]),
      (#"{"rule":{"once":"2020-12-24"},"times":["18:00"]}"#, []),
      (
        #"{"rule":{"interval":14400,"from":"2026-11-23T08:00:00Z"}}"#,
        ["11-23T13:00", "11-23T17:00", "11-23T21:00", "11-24T01:00", "11-24T05:00"]
      ),
      (#"{"rule":{"place":{"latitude":1,"longitude":1,"radius":100}}}"#, []),
    ])
  func preview(schedule: String, times: [String]) async throws {
    try await RouteBench.run { bench in
      let before = try bench.store.lastPosition()
      let answer = try await bench.answer(.post, "preview", schedule)
      let found = answer["times"]?.elements.compactMap {
        $0["fireAt"]?.text?.dropFirst(5).prefix(11)
      }
      #expect(found?.map(String.init) == times)
      #expect(try bench.store.lastPosition() == before)
    }
  }

  @Test("A preview includes what quiet hours move, and a condition does not shorten it")
  func quietHours() async throws {
    try await RouteBench.run { bench in
      try await bench.answer(.patch, "settings", #"{"quietHours":"22:00-07:00"}"#)
      let schedule = #"{"rule":{"weekly":["mon"]},"times":["06:00"],"unless":["done"]}"#
      let times = try await bench.answer(.post, "preview", schedule)["times"]
      #expect(times?.elements.count == 5)
      #expect(times?[0]?["fireAt"] == .text("2026-11-30T07:00:00+01:00"))
      #expect(times?[0]?["nominal"] == .text("2026-11-30T06:00"))
    }
  }

  @Test("A preview names the next reminders that the plan then has")
  func planned() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      let schedule = #"{"rule":{"weekly":["tue","fri"]},"times":["08:00","18:00"]}"#
      let times = try await bench.answer(.post, "preview", schedule)["times"]
      _ = try await bench.addHabit(#"{"title":"Walk","schedules":[\#(schedule)]}"#)
      let dates = try await bench.answer(.get, "upcoming?days=30")["dates"]
      let planned = dates?.elements.flatMap { $0["reminders"]?.elements ?? [] }
        .compactMap { $0["fireAt"] }
      #expect(planned.map { Array($0.prefix(5)) } == times?.elements.compactMap { $0["fireAt"] })
    }
  }
}
#endif
