import Carillon
import CarillonModel
import CarillonTesting
import CarillonSync
import Foundation
import Testing

@Suite struct IdentityTests {
  @Test("A copied directory continues under a new identity that keeps the device's switches")
  func copiedDirectory() async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T08:00:00Z")
      let home = directory.appending(path: "phone")
      let copy = directory.appending(path: "copy")
      let phone = try await Store.create(at: home, replica: "phone", options: .test(clock))
      try await phone.recordAsked()
      try await phone.setPermission(Permission(status: .authorized, options: .alert))
      try await phone.setAlerts(true)
      let habit = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      await phone.close()
      try FileManager.default.copyItem(at: home, to: copy)

      let original = try await Store.open(at: home, options: .test(clock))
      let copied = try await Store.open(at: copy, options: .test(clock))
      let before = try copied.lastPosition()
      _ = try await copied.plan()
      #expect(try copied.lastPosition() == before, "a query wrote an event")
      try await original.markDone(habit.id)
      try await copied.skip(habit.id)

      let old = try await original.status().replica
      let new = try await copied.status().replica
      #expect(old != new)
      let device = try await copied.device()
      #expect(device.description?.predecessor == old)
      #expect(device.description?.name == "phone")
      #expect(device.alerts.isOn && device.wasAsked && device.permission.isGranted)

      let report = try await original.sync(with: copied)
      #expect(report.forks.isEmpty)
      #expect(try await original.stateDigest() == copied.stateDigest())
      #expect(try await original.replicas().map(\.name) == ["phone", "phone.2"])
      await original.close()
      await copied.close()
    }
  }

  @Test(
    "Sync detects a replica that was rolled back and has written since; both histories are kept")
  func rolledBack() async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T08:00:00Z")
      let phone = try await Store.create(
        at: directory.appending(path: "phone"), replica: "phone", options: .test(clock))
      let habit = try await phone.add(Habit("Walk"))
      let watch = try await Store.clone(
        phone, at: directory.appending(path: "watch"), replica: "watch", options: .test(clock)
      ).store
      await phone.close()
      let data = directory.appending(path: "phone/log/data.mdb")
      let kept = try Data(contentsOf: data)

      let lost = try await Store.open(at: directory.appending(path: "phone"), options: .test(clock))
      try await lost.markDone(habit.id)
      try await lost.sync(with: watch)
      await lost.close()
      // In place: the file keeps its inode, so only a sync can detect the rollback.
      let handle = try FileHandle(forWritingTo: data)
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: kept)
      try handle.close()

      let back = try await Store.open(at: directory.appending(path: "phone"), options: .test(clock))
      let old = try await back.status().replica
      try await back.skip(habit.id, on: .date(back.today().adding(days: 1)))
      let report = try await back.sync(with: watch)
      #expect(report.forks.map(\.replica) == [old])
      #expect(try await back.status().replica != old)
      #expect(try await back.stateDigest() == watch.stateDigest())
      #expect(try await watch.entries(of: habit.id).count == 1)
      #expect(try await back.sync(with: watch).method == .equal)
      #expect(try await back.verify() == [])
      #expect(try await watch.verify() == [])
      await back.close()
      await watch.close()
    }
  }
}
