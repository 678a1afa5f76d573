import Foundation
import Testing

/// `replicas rename`, `role` and `retire`: what a person decides about the devices of a store.
struct ReplicaVerbTests {
  /// A phone and a watch that may both deliver, with a habit, after a sync.
  private func phoneAndWatch() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role", "watch")
    for store in ["phone", "watch"] {
      try await bench.run("permission", "grant", store: store)
      try await bench.run("alerts", "on", store: store)
    }
    try await bench.run("sync", bench.path("watch"))
    return bench
  }

  @Test("A renamed replica has its new name everywhere, on every replica")
  func rename() async throws {
    let bench = try await phoneAndWatch()
    let renamed = try await bench.run("replicas", "rename", "phone", "Pixel", store: "watch")
    #expect(renamed.output == "phone is now named Pixel.\n", "\(renamed)")
    let again = try await bench.run("replica", "rename", "Pixel", "Pixel", store: "watch")
    #expect(again.output == "Pixel has that name already.\n", "\(again)")
    let explained = try await bench.run("explain", "Walk", store: "watch")
    #expect(explained.output.contains("Pixel reminds; this is the watch"), "\(explained)")
    let sync = try await bench.run("sync", bench.path("watch"))
    #expect(sync.status == 0, "\(sync)")
    for store in ["phone", "watch"] {
      for verb in [["replicas"], ["status"], ["log"], ["show", "Pixel@1"]] {
        let answer = try await bench.start(verb, store: store).answer()
        #expect(answer.status == 0 && answer.output.contains("Pixel"), "\(store) \(verb) \(answer)")
        #expect(!answer.output.contains("phone@"), "\(store) \(verb) \(answer)")
      }
    }
    #expect(try await bench.run("log").output.contains("device.set          Pixel is named Pixel"))
    #expect(try await bench.json("status")["replica"]?["name"]?.text == "Pixel")
    let digest = try await bench.digest()
    #expect(try await bench.digest("watch") == digest)
    #expect(try await bench.rebuiltDigest() == digest)
    // The device describes itself again, which does not bring the old name back.
    let moved = try await bench.start(["done", "Walk"], zone: "Asia/Tokyo").answer()
    #expect(moved.status == 0, "\(moved)")
    #expect(try await bench.json("status")["replica"]?["name"]?.text == "Pixel")
  }

  @Test("A name of another replica, an invisible one and a long one are refused")
  func refused() async throws {
    let bench = try await phoneAndWatch()
    let before = try await bench.log()
    let taken = try await bench.run("replicas", "rename", "phone", "watch")
    #expect(taken.status != 0 && taken.errors.contains("is named \"watch\""), "\(taken)")
    for name in ["", " ", String(repeating: "n", count: 65)] {
      let answer = try await bench.run("replicas", "rename", "phone", name)
      #expect(answer.status == 64 && answer.errors.contains("64"), "\(answer)")
    }
    let missing = try await bench.run("replicas", "retire", "wacth")
    #expect(missing.status == 66 && missing.errors.contains("did you mean watch?"), "\(missing)")
    let role = try await bench.run("replicas", "role", "phone", "toaster")
    #expect(role.status != 0 && role.errors.contains("desktop"), "\(role)")
    #expect(try await bench.log() == before)
  }

  @Test("A retired device is not waited for, plans nothing, and stays retired when it writes")
  func retire() async throws {
    let bench = try await phoneAndWatch()
    #expect(try await bench.json("pending", store: "watch")["pending"]?.list.isEmpty == true)
    let retired = try await bench.run("replicas", "retire", "phone", store: "watch")
    #expect(
      retired.output.hasPrefix("phone is retired; this device reminds. To use it again: "),
      "\(retired)")
    #expect(try await bench.json("pending", store: "watch")["pending"]?.list.isEmpty == false)
    try await bench.run("sync", bench.path("watch"))
    #expect(try await bench.json("pending")["pending"]?.list.isEmpty == true)
    try await bench.run("done", "Walk")
    try await bench.run("sync", bench.path("watch"))
    let status = try await bench.json("status")
    #expect(status["replica"]?["retired"] == .bool(true))
    let detail = try #require(status["reminders"]?["detail"]?.text)
    #expect(
      detail.hasPrefix("the watch reminds; this is the phone, which is retired; "), "\(detail)")
    let own = try await bench.run("replicas", "retire", "phone")
    #expect(own.output.hasSuffix(": carillon replicas retire --undo phone\n"), "\(own)")
    let replicas = try await bench.run("replicas", store: "watch")
    #expect(replicas.output.contains("phone, retired"), "\(replicas)")
    let month = "2026-12-23T12:00:00+01:00"
    let health = try await bench.run("status", store: "watch", now: month)
    #expect(!health.output.contains("phone was not heard of"), "\(health)")
    let inUse = try await bench.run("replicas", "retire", "--undo", "phone", store: "watch")
    #expect(
      inUse.output == "phone is in use again; the phone reminds; this is the watch.\n", "\(inUse)")
    #expect(try await bench.json("pending", store: "watch")["pending"]?.list.isEmpty == true)
  }

  @Test("A copied directory is renamed, gets a role, and then yields to the phone")
  func copied() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.allowReminders()
    try bench.copy("phone", to: "copy")
    try await bench.run("done", "Walk", store: "copy")
    try await bench.run("done", "Walk", "--on", "2026-11-22", now: "2026-11-23T12:05:00+01:00")
    try await bench.run("sync", bench.path("copy"))
    try await bench.run("replicas", "rename", "phone.2", "laptop")
    let role = try await bench.run("replicas", "role", "laptop", "desktop")
    #expect(role.output == "laptop is now a desktop; this device reminds.\n", "\(role)")
    try await bench.run("sync", bench.path("copy"))
    let status = try await bench.json("status", store: "copy")
    #expect(status["replica"]?["name"]?.text == "laptop")
    #expect(status["replica"]?["role"]?.text == "desktop")
    #expect(
      status["reminders"]?["detail"]?.text == "the phone reminds; this is laptop")
  }

  @Test("The status says in words which device reminds of which habits")
  func whoReminds() async throws {
    let bench = try await phoneAndWatch()
    _ = try await bench.addHabit("Breathe", "--at", "09:00", "--owner", "watch")
    _ = try await bench.addHabit("Pills", "--at", "08:00", "--owner", "both")
    let reminders = try #require(try await bench.json("status")["reminders"])
    #expect(
      reminders["detail"]?.text == """
        this device reminds; the watch reminds of 1 habit with --owner watch; of 1 habit with \
        --owner both every device in use reminds
        """)
    let owners = reminders["owners"]?.list ?? []
    #expect(owners.map { $0["owner"]?.text } == ["phoneFirst", "watch", "both"])
    #expect(owners.map { $0["habits"]?.number } == [1, 1, 1])
    try await bench.run(
      "clone", bench.path("phone"), bench.path("server"), "--replica", "server", "--role", "server")
    let server = try await bench.json("status", store: "server")["reminders"]?["detail"]?.text
    #expect(
      server?.hasPrefix("the phone reminds; this is the server, a server, which never reminds")
        == true, "\(server ?? "")")
  }
}
