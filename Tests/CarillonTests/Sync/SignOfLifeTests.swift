import Carillon
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// A device on which the others no longer count, and whose disk takes no event.
struct SignOfLifeTests {
  /// Runs a body with a phone that wrote nothing for 5 days, a watch with a plan that lacks the
  /// phone's last event, the phone's log, and the phone's warnings.
  private func withForgottenPhone(
    _ body: (Store, Store, InMemoryEventLog, LogMessages) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let (clock, messages) = (ManualClock("2026-11-23T08:00:00Z"), LogMessages())
      let log = InMemoryEventLog(storeID: .random(), replica: .random())
      var options = StoreOptions.test(clock)
      options.logger = messages.logger
      let phone = try await Store.open(on: log, replica: "phone", options: options)
      // Both devices remind of it, so the watch has a plan, and is counted on until that ends.
      var tea = Habit("Tea", .daily(at: ["17:00"]))
      tea.owner = .both
      try await phone.add(tea)
      let watch = try await Store.clone(
        phone, at: directory.appending(path: "watch"), replica: "watch", role: .watch,
        options: .test(clock)
      ).store
      for store in [phone, watch] {
        try await store.setPermission(Permission(status: .authorized, options: [.alert]))
        try await store.setAlerts(true)
      }
      let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
      try await watch.apply(to: StandInScheduler(clock: clock, zone: zone))
      try await phone.sync(with: watch)
      try await phone.add(Habit("Walk"))
      clock.set("2026-11-28T08:00:00Z")
      try await body(phone, watch, log, messages)
      await watch.close()
      await phone.close()
    }
  }

  @Test(
    "On a full or read-only disk, a sync still sends what the log has, and warns",
    arguments: [LogErrorCode.full, .readOnly])
  func refused(code: LogErrorCode) async throws {
    try await withForgottenPhone { phone, watch, log, messages in
      let last = try phone.lastPosition()
      log.fail(with: LogError(code: code, message: "the disk takes nothing"))
      try await phone.sync(with: watch)
      #expect(try await watch.habits().map(\.title) == ["Tea", "Walk"])
      #expect(try phone.lastPosition() == last)
      #expect(
        messages.all.contains("no sign of life before a sync: the disk takes nothing"),
        "\(messages.all)")
      log.fail(with: nil)
      try await phone.sync(with: watch)
      #expect(try phone.lastPosition() == last.next)
    }
  }

  @Test("Any other failure of the disk ends the sync")
  func failed() async throws {
    try await withForgottenPhone { phone, watch, log, _ in
      log.fail(with: LogError(code: .io, message: "the disk is broken"))
      let error = await #expect(throws: StoreError.self) { try await phone.sync(with: watch) }
      #expect(error?.code == .io)
      let habits = try await watch.habits()
      #expect(habits.map(\.title) == ["Tea"])
    }
  }
}
