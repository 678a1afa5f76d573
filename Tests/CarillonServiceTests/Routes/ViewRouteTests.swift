#if Service
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Testing

struct ViewRouteTests {
  @Test("The coming days list each reminder with its time, and the reason of each silence")
  func upcoming() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      let id = try await bench.addHabit(
        #"""
        {"title":"Walk","schedules":[
          {"rule":{"weekly":["mon","tue","wed","thu"]},"times":["17:00"],"unless":["done"]}]}
        """#)
      try await bench.answer(.post, "habits/\(id)/done")
      try await bench.answer(.post, "habits/\(id)/skip", #"{"date":"tomorrow"}"#)
      let answer = try await bench.answer(.get, "upcoming?days=4")
      let dates = answer["dates"]?.elements ?? []
      #expect(
        dates.map { $0["reminders"]?[0]?["reason"]?.text } == [
          "done", "skipped", "planned", "planned",
        ])
      #expect(
        dates.map { $0["reminders"]?[0]?["fires"] } == [
          .bool(false), .bool(false), .bool(true), .bool(true),
        ])
      #expect(dates[0]["reminders"]?[0]?["detail"] == .text("the date is done"))
      #expect(dates[2]["reminders"]?[0]?["fireAt"] == .text("2026-11-25T17:00:00+01:00"))
      #expect(dates[1]["reminders"]?[0]?["title"] == .text("Walk"))
    }
  }

  @Test("A reminder that quiet hours move to the next date is listed there only")
  func moved() async throws {
    try await RouteBench.run { bench in
      try await bench.allowReminders()
      try await bench.answer(.patch, "settings", #"{"quietHours":"22:00-07:00"}"#)
      _ = try await bench.addHabit(
        #"{"title":"Walk","schedules":[{"rule":{"weekly":["mon"]},"times":["23:00"]}]}"#)
      let dates = try await bench.answer(.get, "upcoming?days=3")["dates"]?.elements ?? []
      #expect(dates.map { $0["reminders"]?.elements.count } == [0, 1, 0])
      #expect(dates[1]["reminders"]?[0]?["fireAt"] == .text("2026-11-24T07:00:00+01:00"))
      #expect(dates[1]["reminders"]?[0]?["movedBy"] == .text("quietHours"))
    }
  }

  @Test("A map has each date of a year until today, with its amount, mark and strength")
  func map() async throws {
    try await RouteBench.run { bench in
      let id = try await bench.addHabit(#"{"title":"Walk","start":"2026-11-01"}"#)
      for day in 1...9 {
        try await bench.answer(.post, "habits/\(id)/done", #"{"date":"2026-11-0\#(day)"}"#)
      }
      try await bench.answer(.post, "habits/\(id)/skip", #"{"date":"2026-11-10"}"#)
      let days = try await bench.answer(.get, "habits/\(id)/map?year=2026")["days"]?.elements ?? []
      #expect(days.count == 23)
      #expect(days[8]["state"] == .text("done"))
      #expect(days[8]["amount"] == .integer(1000))
      #expect(days[9]["mark"] == .text("skip"))
      #expect(days[9]["strength"] == days[8]["strength"])
      let strength = try await bench.answer(.get, "habits/\(id)")["adherence"]?["strength"]
      #expect(days[22]["strength"] == strength)
      #expect(try await bench.answer(.get, "habits/\(id)/map?year=2020")["days"] == .array([]))
      let wrong = try await bench.send(.get, "habits/\(id)/map?year=26")
      #expect(wrong.detail == "year: \"26\" is not a whole number from 1970 to 2200")
    }
  }

  @Test("The dates of views are read as words too, and a wrong one is refused")
  func dates() async throws {
    try await RouteBench.run { bench in
      let week = try await bench.answer(.get, "week?date=yesterday")
      #expect(week["from"] == .text("2026-11-16"))
      let wrong = try await bench.send(.get, "week?date=2300-01-01")
      #expect(wrong.status == .unprocessableContent)
      #expect(wrong.detail.hasPrefix("date: \"2300-01-01\" is not a date from 1970-01-01"))
    }
  }
}
#endif
