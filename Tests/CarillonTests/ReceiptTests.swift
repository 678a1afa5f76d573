import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// Receipts of notifications, and the effects of a tap.
@Suite struct ReceiptTests {
  /// Runs a body with a phone and a watch that are allowed to alert.
  private func withAlertingPhoneAndWatch(
    _ body: (Store, Store, ManualClock) async throws -> Void
  ) async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      for store in [phone, watch] {
        try await store.setPermission(Permission(status: .authorized))
        try await store.setAlerts(true)
      }
      try await body(phone, watch, clock)
    }
  }

  @Test("Scenario 23: the 22:00 reminder, tapped done at 00:20, counts for the day before")
  func scenario23() async throws {
    try await withStore { store, clock in
      let habit = try await store.add(Habit("Read", .daily(at: ["22:00"], unless: .done)))
      let id = try #require(try await store.plan().requests.first?.id)
      clock.set("2026-11-23T21:00:00Z")
      try await store.recordReceipt(.delivered, of: .request(id))
      for _ in 0..<2 {
        try await store.respond(to: .request(id), action: .snooze)
        clock.advance(seconds: 3_600)
      }
      clock.set("2026-11-23T23:20:00Z")
      let written = try await store.respond(to: .request(id), action: .done).written
      #expect(
        written.events.map(\.kind.name) == ["response.recorded", "entry.recorded", "app.active"])
      #expect(try await store.entries(of: habit.id, on: .date("2026-11-23")).count == 1)
      #expect(try await store.entries(of: habit.id, on: .date("2026-11-24")).isEmpty)
    }
  }

  @Test("The request to open the app has no receipts, and the error says why")
  func openTheApp() async throws {
    try await withStore { store, _ in
      for state in [ReceiptState.delivered, .opened] {
        let error = await #expect(throws: StoreError.self) {
          try await store.recordReceipt(state, of: NotificationID("c1o.aaaaaaaaaaaaaaaa"))
        }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("request to open the app") == true)
        #expect(error?.reason == .openRequest)
      }
    }
  }

  @Test("Scenario 25: done on the watch before the phone fires offline is one entry")
  func scenario25() async throws {
    try await withAlertingPhoneAndWatch { phone, watch, clock in
      var walk = Habit("Walk", .daily(at: ["17:00"], unless: .done))
      walk.owner = .both
      let habit = try await phone.add(walk)
      try await phone.sync(with: watch)
      let id = try #require(try await phone.plan().requests.first?.id)
      #expect(try await watch.plan().requests.first?.id == id)
      clock.set("2026-11-23T15:50:00Z")
      try await watch.respond(to: .request(id), action: .done)
      clock.set("2026-11-23T16:00:00Z")
      try await phone.recordReceipt(.delivered, of: .request(id))
      clock.set("2026-11-23T16:05:00Z")
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.entries(of: habit.id).count == 1)
        let receipts = try await store.receipts()
        #expect(receipts.map(\.state) == [.acted])
        #expect(receipts.map(\.subject.notificationID) == [.request(id)])
        let watchID = try await watch.status().replica
        #expect(receipts.map(\.replica) == [watchID])
      }
      #expect(try await phone.stateDigest() == watch.stateDigest())
      // The phone must remove its delivered notification.
      let difference = try await phone.planDifference(from: [])
      #expect(difference.deliveredRemovals == [id])
      #expect(try await watch.planDifference(from: []).deliveredRemovals == [])
    }
  }

  @Test("Scenario 26: done tapped offline on both devices is one entry; two +1 are two")
  func scenario26() async throws {
    try await withAlertingPhoneAndWatch { phone, watch, clock in
      var water = Habit("Water", .daily(at: ["12:00"]))
      water.kind = .count
      water.target = 8
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      let glasses = try await phone.add(water)
      try await phone.sync(with: watch)
      let plan = try await phone.plan()
      let id = try #require(plan.requests.first { $0.habit == walk.id }?.id)
      clock.set("2026-11-23T16:00:00Z")
      for store in [phone, watch] {
        _ = try await store.plan()
        try await store.respond(to: .request(id), action: .done)
        try await store.markDone(glasses.id)
      }
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.entries(of: walk.id).count == 1)
        #expect(try await store.entries(of: walk.id).first?.recordings.count == 2)
        #expect(try await store.entries(of: glasses.id).map(\.amount) == [1, 1])
      }
    }
  }

  @Test("An occurrence delivered on one device leaves the other's queue and is not planned again")
  func shownElsewhere() async throws {
    try await withAlertingPhoneAndWatch { phone, watch, clock in
      var walk = Habit("Walk", .daily(at: ["17:00"], unless: .done))
      walk.owner = .both
      try await phone.add(walk)
      try await phone.sync(with: watch)
      let held = try await watch.plan().requests
      let id = try #require(held.first?.id)
      // The phone's clock is a minute ahead of the watch's.
      clock.set("2026-11-23T16:00:00Z")
      try await phone.recordReceipt(.delivered, of: .request(id))
      try await phone.sync(with: watch)
      clock.set("2026-11-23T15:59:00Z")
      let difference = try await watch.planDifference(from: held.map(ScheduledRequest.init))
      #expect(difference.removals == [id] && difference.insertions.isEmpty)
      let habit = try #require(held.first?.habit)
      #expect(try await watch.explain(habit).map(\.reason) == [.delivered])
      #expect(try await watch.plan().requests.map(\.id) == held.dropFirst().map(\.id))
    }
  }

  @Test("Repeating a receipt or response changes nothing; done again after an undo counts")
  func repeated() async throws {
    try await withStore { store, _ in
      let habit = try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      let id = try #require(try await store.plan().requests.first?.id)
      #expect(try await store.recordReceipt(.delivered, of: .request(id)).written.events.count == 1)
      #expect(try await store.recordReceipt(.delivered, of: .request(id)).written.events.isEmpty)
      #expect(try await store.respond(to: .request(id), action: .done).written.events.count == 3)
      #expect(try await store.respond(to: .request(id), action: .done).written.events.isEmpty)
      // States only increase.
      #expect(try await store.recordReceipt(.dismissed, of: .request(id)).written.events.count == 1)
      #expect(try await store.receipts().map(\.state) == [.acted])
      try await store.clear(habit.id)
      try await store.respond(to: .request(id), action: .done)
      #expect(try await store.entries(of: habit.id).count == 1)
      #expect(
        try await store.respond(to: .request(id), action: .custom("LATER"), text: "a").written
          .events.count
          == 1)
      #expect(
        try await store.respond(to: .request(id), action: .custom("LATER"), text: "b").written
          .events.count
          == 1)
    }
  }

  @Test("Skip from a notification marks the due date")
  func skip() async throws {
    try await withStore { store, _ in
      let habit = try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      let id = try #require(try await store.plan().requests.first?.id)
      try await store.respond(to: .request(id), action: .skip)
      let explanation = try #require(try await store.explain(habit.id).first)
      #expect(explanation.reason == .delivered && explanation.dateReason == .skipped)
    }
  }

  @Test("A repeating request refers to its latest occurrence at or before now")
  func repeating() async throws {
    try await withStore { store, clock in
      let habit = try await store.add(Habit("Pills", .weekly(on: [.monday], at: ["08:00"])))
      let request = try #require(try await store.plan().requests.first)
      #expect(request.id.kind == .repeating)
      // At 09:00 today's occurrence is past, and the next one is in a week.
      #expect(request.nominal.date == "2026-11-30")
      clock.set("2026-11-30T07:00:00Z")
      #expect(
        try await store.recordReceipt(.opened, of: .request(request.id)).written.events.count == 2)
      clock.set("2026-12-07T07:00:00Z")
      try await store.respond(to: .request(request.id), action: .done)
      let receipts = try await store.receipts()
      #expect(receipts.map(\.subject.nominalDate) == ["2026-12-07", "2026-11-30"])
      #expect(try await store.entries(of: habit.id, on: .date("2026-12-07")).count == 1)
    }
  }

  @Test("A repeating request has not fired before its schedule was set or its habit began")
  func notRungYet() async throws {
    try await withStore { store, clock in
      let gym = try await store.add(Habit("Gym", .weekly(on: [.monday], at: ["09:30"])))
      let id = try #require(try await store.plan().requests.first?.id)
      let before = try store.lastPosition()
      for moment in ["2026-11-23T08:00:00Z", "2026-11-23T08:29:59Z"] {
        clock.set(moment)
        await #expect { try await store.respond(to: .request(id), action: .done) } throws: {
          "\($0)" == "Gym has not fired yet; it fires first on Mon 2026-11-23 09:30"
            && ($0 as? StoreError)?.code == .notFound
        }
      }
      #expect(try store.lastPosition() == before)
      clock.set("2026-11-23T08:30:00Z")
      #expect(
        try await store.respond(to: .request(id), action: .done).subject.nominalDate
          == "2026-11-23")
      #expect(try await store.entries(of: gym.id, on: .date("2026-11-23")).count == 1)
      var late = Habit("Late", .daily(at: ["08:00"]))
      late.start = "2026-11-24"
      try await store.add(late)
      clock.set("2026-11-24T06:00:00Z")
      let request = try #require(
        try await store.plan().requests.first { $0.habit == late.id && $0.repeats })
      await #expect { try await store.recordReceipt(.opened, of: .request(request.id)) } throws: {
        "\($0)" == "Late has not fired yet; it fires first on Tue 2026-11-24 08:00"
      }
    }
  }

  @Test("Done on an interval's notification counts for the local date, not the UTC date")
  func interval() async throws {
    try await withStore { store, clock in
      let from = try #require(Instant(rfc3339: "2026-11-22T23:30:00Z"))
      var range = Habit("Range", .daily(at: []))
      range.schedules[0].rule = .interval(Schedule.Interval(seconds: 14_400, from: from))
      try await store.add(range)
      let id = try #require(try await store.plan().requests.first?.id)
      // Half past midnight of the next day in Berlin.
      clock.set("2026-11-23T23:30:30Z")
      try await store.respond(to: .request(id), action: .done)
      #expect(try await store.entries(of: range.id, on: .date("2026-11-24")).count == 1)
      #expect(try await store.entries(of: range.id, on: .date("2026-11-23")).isEmpty)
    }
  }

  @Test("For a schedule edited after it fired, only the occurrence before the edit has fired")
  func editedSince() async throws {
    try await withStore { store, clock in
      let walk = Habit("Walk", .weekly(on: [.monday], at: ["09:30"]))
      try await store.add(walk)
      let id = try #require(try await store.plan().requests.first?.id)
      clock.set("2026-11-23T10:00:00Z")
      try await store.edit(walk.id) { habit in
        habit.schedules[0].rule = .weekly([.sunday, .monday])
        habit.schedules[0].content.body = "Shoes"
      }
      #expect(
        try await store.recordReceipt(.opened, of: .request(id)).subject.nominalDate == "2026-11-23"
      )
      let added = try #require(
        try await store.plan().requests.first { $0.nominal.date == "2026-11-29" })
      await #expect { try await store.recordReceipt(.opened, of: .request(added.id)) } throws: {
        "\($0)".hasSuffix("it fires first on Sun 2026-11-29 09:30")
      }
    }
  }

  @Test("A schedule set by a clock that was ahead counts as set")
  func clockAhead() async throws {
    try await withAlertingPhoneAndWatch { phone, watch, clock in
      clock.set("2026-11-23T08:10:00Z")
      try await phone.add(Habit("Gym", .weekly(on: [.monday], at: ["09:05"])))
      let id = try #require(try await phone.plan().requests.first?.id)
      try await phone.sync(with: watch)
      clock.set("2026-11-23T08:05:30Z")
      #expect(
        try await watch.recordReceipt(.opened, of: .request(id)).subject.nominalDate == "2026-11-23"
      )
    }
  }

  @Test("The history contains the last response, and a fetched item's title")
  func answers() async throws {
    try await withStore { store, _ in
      try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      let id = try #require(try await store.plan().requests.first?.id)
      try await store.respond(to: .request(id), action: .snooze)
      try await store.respond(to: .request(id), action: .done, text: "went far")
      let fetched = try await store.ingest([FetchedItem(id: "7", title: "Build")], from: "feed")
      try await store.recordReceipt(.opened, of: .request(fetched.fresh[0].id))
      let receipts = try await store.receipts()
      #expect(receipts.map(\.title) == ["Build", nil])
      #expect(receipts.map(\.answer) == [nil, Receipt.Answer(action: .done, text: "went far")])
    }
  }

  @Test("A repeating request is found even after its schedule was removed")
  func removedSchedule() async throws {
    try await withStore { store, clock in
      let habit = try await store.add(Habit("Pills", .daily(at: ["16:00"])))
      let request = try #require(try await store.plan().requests.first)
      #expect(request.id.kind == .repeating && request.nominal.date == "2026-11-23")
      clock.set("2026-11-23T15:05:00Z")
      try await store.edit(habit.id) { $0.schedules = [] }
      try await store.respond(to: .request(request.id), action: .done)
      #expect(try await store.entries(of: habit.id, on: .date("2026-11-23")).count == 1)
    }
  }

  @Test("A push is found by its ID even if the ID starts like a request's")
  func pushID() async throws {
    try await withStore { store, _ in
      for id in ["c1.subject", "c1i.abcdefghijklmnop", "c1r.x"] {
        let push = try await store.receive(Array(#"{"aps":{"alert":"x"}}"#.utf8), collapseID: id)
        try await store.recordReceipt(.opened, of: NotificationID(push.id))
      }
      #expect(try await store.receipts(state: .opened).count == 3)
    }
  }

  @Test("An ID that was never planned on this device is found among the occurrences around now")
  func computed() async throws {
    try await withAlertingPhoneAndWatch { phone, watch, clock in
      var pills = Habit("Pills", .daily(at: ["08:00"]))
      pills.schedules[0].zone = .fixed("Asia/Tokyo")
      try await phone.add(pills)
      try await phone.add(Habit("Walk", .daily(at: ["07:30", "17:00"], unless: .done)))
      try await phone.sync(with: watch)
      let requests = try await phone.plan().requests.prefix(9)
      clock.set("2026-11-24T08:00:00Z")
      for request in requests {
        #expect(
          try await watch.recordReceipt(.delivered, of: .request(request.id)).written.events.count
            == 1)
      }
      for id in [
        "c1.aaaaaaaaaaaaaaaa", "c1r.aaaaaaaaaaaaaaaa", "c1i.aaaaaaaaaaaaaaaa", "x", "",
      ] {
        await #expect { try await watch.recordReceipt(.opened, of: NotificationID(id)) } throws: {
          ($0 as? StoreError)?.code == .notFound
        }
      }
    }
  }

  @Test("A fetched item's receipt is for the revision delivered last")
  func item() async throws {
    try await withStore { store, _ in
      let id = try await store.ingest([FetchedItem(id: "7", revision: "a")], from: "feed")
        .fresh[0].id
      #expect(try await store.receipts().map(\.state) == [.observed])
      try await store.recordReceipt(.delivered, of: .request(id))
      _ = try await store.ingest([FetchedItem(id: "7", revision: "b")], from: "feed")
      #expect(try await store.receipts().map(\.state) == [.observed, .delivered])
      try await store.recordReceipt(.opened, of: .request(id))
      let receipts = try await store.receipts()
      #expect(receipts.map(\.subject.revision) == ["b", "a"])
      #expect(receipts.map(\.subject.notificationID) == [.request(id), .request(id)])
      #expect(try await store.receipts(limit: 1).map(\.state) == [.opened])
      #expect(try await store.receipts(state: .delivered).map(\.subject.revision) == ["a"])
    }
  }

  @Test("Only states caused by a person count as app activity")
  func activity() async throws {
    try await withStore { store, clock in
      try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      let id = try #require(try await store.plan().requests.first?.id)
      clock.set("2026-11-23T23:30:00Z")
      #expect(
        try await store.recordReceipt(.delivered, of: .request(id)).written.events.map(\.kind.name)
          == ["receipt.advanced"])
      #expect(
        try await store.recordReceipt(.opened, of: .request(id)).written.events.map(\.kind.name)
          == ["receipt.advanced", "app.active"])
    }
  }
}

extension ReceiptSubject {
  fileprivate var nominalDate: CivilDate? {
    if case .occurrence(let occurrence) = self { occurrence.nominal.date } else { nil }
  }
}
