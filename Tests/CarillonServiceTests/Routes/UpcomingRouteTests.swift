#if Service
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Testing

@testable import CarillonService

/// The limit of `GET /v1/upcoming`.
struct UpcomingRouteTests {
  /// Adds habits with a reminder every minute.
  private func addMinutes(_ count: Int, to bench: RouteBench) async throws {
    for number in 0..<count {
      _ = try await bench.addHabit(
        #"{"title":"Breathe \#(number)","schedules":[{"rule":"#
          + #"{"interval":60,"from":"2026-11-23T00:00:00+01:00"}}]}"#)
    }
  }

  @Test("The dates end before the one that exceeds the limit")
  func ended() async throws {
    try await RouteBench.run { bench in
      try await addMinutes(1, to: bench)
      let upcoming = try await bench.answer(.get, "upcoming?days=92")
      #expect(upcoming["complete"] == .bool(false))
      #expect(upcoming["limit"] == .integer(UpcomingDocument.maxCount))
      #expect(upcoming["dates"]?.elements.count == 1)
      let count = upcoming["dates"]?[0]?["reminders"]?.elements.count ?? 0
      #expect((1...UpcomingDocument.maxCount).contains(count))
    }
  }

  @Test("A first date beyond the limit is listed up to it")
  func firstDate() async throws {
    try await RouteBench.run { bench in
      try await addMinutes(3, to: bench)
      let upcoming = try await bench.answer(.get, "upcoming")
      #expect(upcoming["complete"] == .bool(false))
      let count = upcoming["dates"]?[0]?["reminders"]?.elements.count ?? 0
      #expect(count == UpcomingDocument.maxCount)
    }
  }

  @Test("Fewer reminders than the limit are complete")
  func complete() async throws {
    try await RouteBench.run { bench in
      _ = try await bench.addHabit(
        #"{"title":"Walk","schedules":[{"rule":{"weekly":["mon","wed"]},"times":["17:00"]}]}"#)
      let upcoming = try await bench.answer(.get, "upcoming?days=5")
      #expect(upcoming["complete"] == .bool(true))
      #expect(upcoming["dates"]?.elements.count == 5)
    }
  }
}
#endif
