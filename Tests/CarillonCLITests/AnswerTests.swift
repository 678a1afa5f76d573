import CarillonDocuments
import Testing

/// The JSON documents that tools rely on: their members and types.
struct AnswerTests {
  private static let written: [String: Shape] = [
    "events": .list(
      .object(["position": .number, "sequence": .number, "id": .text, "type": .text]))
  ]
  private static let event = Shape.object([
    "type": .text, "id": .text, "position": .number, "replica": .text, "name": .text,
    "sequence": .number, "timestamp": .text,
  ])
  private static let request = Shape.object([
    "id": .text, "habit": .text, "schedule": .text, "title": .text, "content": .object([:]),
    "fireAt": .text, "nominal": .text, "repeats": .bool, "trigger": .text, "fingerprint": .text,
  ])
  private static let leftOut = Shape.object([
    "habit": .text, "schedule": .text, "title": .text, "since": .optional(.text),
  ])
  private static let report = Shape.object([
    "method": .text, "messages": .number, "roundTrips": .number, "bytesSent": .number,
    "bytesReceived": .number, "eventsSent": .number, "eventsReceived": .number,
    "forks": .list(.object([:])),
  ])

  @Test("init, clone, status, replicas, sync and diff print the documented JSON")
  func stores() async throws {
    let bench = try Workbench()
    let made = Shape.object([
      "store": .text,
      "replica": .object(["id": .text, "name": .text, "role": .text, "retired": .bool]),
      "storage": .text,
    ])
    made.expect(try await bench.make("phone"), "init")
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let cloned = try await bench.json(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role", "watch")
    made.expect(cloned, "clone")
    Self.report.expect(cloned["sync"], "clone.sync")
    try await bench.run("pending")
    Shape.object([
      "store": .text,
      "replica": .object(["id": .text, "name": .text, "role": .text, "retired": .bool]),
      "storage": .text, "events": .number, "unknownEvents": .number, "checkpoint": .number,
      "stateDigest": .text,
      "coverageUntil": .text, "leftOut": .list(Self.leftOut), "health": .list(.text),
      "reminders": .object([
        "replica": .optional(.text), "blocked": .optional(.text), "detail": .text,
      ]),
      "versionVector": .list(
        .object(["replica": .text, "name": .text, "sequence": .number, "head": .text])),
      "clockSkew": .list(.object(["replica": .text, "name": .text, "ms": .number])),
    ]).expect(try await bench.json("status", "--digest"), "status")
    Shape.object([
      "replicas": .list(
        .object([
          "replica": .text, "name": .text, "role": .text, "sequence": .number, "head": .text,
          "lastEvent": .text, "predecessor": .optional(.text), "retired": .bool, "revoked": .bool,
        ]))
    ]).expect(try await bench.json("replicas"), "replicas")
    try await bench.run("done", "Walk", store: "watch")
    try await differences(bench)
    Self.report.expect(try await bench.json("sync", bench.path("watch")), "sync")
    #expect(try await bench.digest() == (try await bench.digest("watch")))
  }

  private func differences(_ bench: Workbench) async throws {
    let two = [bench.path("phone"), bench.path("watch")]
    let answer = try await bench.run("diff", two[0], two[1], "--ids", "--json")
    #expect(answer.status == 1)
    let difference = try answer.document()
    let runs = Shape.list(
      .object([
        "replica": .text, "name": .text, "first": .number, "last": .number, "count": .number,
        "ids": .list(.text),
      ]))
    Shape.object(["onlyA": runs, "onlyB": runs]).expect(difference, "diff")
    let listed = (difference["onlyA"]?.list ?? []) + (difference["onlyB"]?.list ?? [])
    let ids = Set(listed.flatMap { $0["ids"]?.list ?? [] }.compactMap(\.text))
    let sets = (try await bench.ids(), try await bench.ids("watch"))
    #expect(ids == sets.0.symmetricDifference(sets.1))
  }

  @Test("habit, schedule, done, undo and skip print the documented JSON, with their events")
  func habits() async throws {
    let bench = try await Workbench.withStore()
    let added = try await bench.json(
      "habit", "add", "Walk", "--at", "17:00", "--on", "mon,wed", "--unless", "done")
    let writing = Shape.object(Self.written)
    writing.expect(added, "habit add")
    Shape.object(["habit": .text, "schedules": .list(.text)]).expect(added, "habit add")
    Shape.object([
      "habits": .list(
        .object([
          "id": .text, "title": .text, "archived": .bool, "deleted": .bool,
          "schedules": .list(.object(["id": .text, "rule": .object([:]), "times": .list(.text)])),
        ]))
    ]).expect(try await bench.json("habit", "list"), "habit list")
    writing.expect(try await bench.json("done", "Walk"), "done")
    Shape.object([
      "id": .text, "title": .text,
      "days": .list(
        .object([
          "date": .text, "amount": .number, "entries": .number, "mark": .text, "done": .bool,
        ])),
    ]).expect(try await bench.json("habit", "show", "Walk"), "habit show")
    for verb in ["undo", "skip"] {
      writing.expect(try await bench.json(verb, "Walk"), verb)
    }
    for verb in ["pause", "resume", "archive", "unarchive", "delete", "restore"] {
      writing.expect(try await bench.json("habit", verb, "Walk"), verb)
    }
    let schedule = try await bench.json("schedule", "add", "Walk", "--at", "08:00")
    writing.expect(schedule, "schedule add")
    #expect(schedule["schedules"]?.list.count == 1)
    for verb in [
      ["active"], ["alerts", "on"], ["permission", "grant"], ["permission", "revoke"],
    ] {
      let answer = try await bench.start(verb + ["--json"]).answer()
      writing.expect(try answer.document(), "\(verb)")
    }
    Shape.object([
      "status": .text, "options": .list(.text), "asked": .bool, "alerts": .bool, "blocked": .text,
      "tokens": .list(.object(["environment": .text])),
    ]).expect(try await bench.json("permission"), "permission")
  }

  @Test("pending, plan and explain print the documented JSON")
  func reminders() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "07:30,17:00", "--unless", "done")
    let pending = try await bench.json("pending")
    Shape.object([
      "asOf": .text, "zone": .text, "capacity": .number, "coverageUntil": .text,
      "dropped": .number, "leftOut": .list(Self.leftOut), "blocked": .text,
      "pending": .list(Self.request),
    ]).expect(pending, "pending")
    let first = try #require(pending["pending"]?[0])
    #expect(first["nominal"]?.text == "2026-11-23T17:00")
    #expect(first["fireAt"]?.text == "2026-11-23T17:00:00+01:00")
    #expect(pending["zone"]?.text == Workbench.zone)
    let list = try bench.write(#"[{"id":"theirs"},{"id":"c1.goneaaaaaaaaaaaa"}]"#, to: "list.json")
    Shape.object([
      "remove": .list(.text), "add": .list(Self.request), "unchanged": .number,
      "foreign": .number, "blocked": .text,
    ]).expect(try await bench.json("plan", "--against", list), "plan")
    let explained = try await bench.json("explain", "Walk", "--on", "2026-11-23")
    Shape.object([
      "occurrences": .list(
        .object([
          "schedule": .text, "nominal": .text, "due": .text, "reason": .text, "detail": .text,
          "id": .text, "fireAt": .optional(.text),
        ])),
      "blocked": .optional(.text),
    ]).expect(explained, "explain")
    #expect(explained["occurrences"]?.list.count == 2)
  }

  @Test("log, show, export, append, import, rebuild and verify print the documented JSON")
  func events() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    for event in try await bench.run("log", "--json").documents() {
      Self.event.expect(event, "log")
      #expect(event["id"]?.text?.count == 64)
    }
    let exported = try await bench.run("export")
    for event in try exported.documents() {
      Self.event.expect(event, "export")
      Shape.object(["payload": .text]).expect(event, "export")
    }
    let shown = try await bench.json("show", "phone@2")
    Self.event.expect(shown, "show")
    #expect(shown["sequence"]?.number == 2)
    let id = try #require(shown["id"]?.text)
    #expect(try await bench.json("show", id) == shown)
    let place = Shape.object(["position": .number, "sequence": .number, "id": .text])
    let appended = try await bench.json("append", input: bench.entries(of: habit, count: 3))
    Shape.object(["appended": .number, "first": place, "last": place]).expect(appended, "append")
    #expect(appended["appended"]?.number == 3)
    let nothing = try await bench.json("append", input: "\n")
    Shape.object(["appended": .number, "first": .null, "last": .null]).expect(nothing, "append")
    let file = try bench.write(exported.output, to: "events.ndjson")
    let imported = try await bench.json("import", file)
    Shape.object(["read": .number, "imported": .number]).expect(imported, "import")
    #expect(imported["imported"]?.number == 0)
    Shape.object(["events": .number, "seconds": .number, "stateDigest": .text])
      .expect(try await bench.json("rebuild"), "rebuild")
    Shape.object(["ok": .bool, "difference": .null])
      .expect(try await bench.json("rebuild", "--check"), "rebuild --check")
    Shape.object(["events": .number, "until": .text, "stateDigest": .text])
      .expect(try await bench.json("rebuild", "--until", Workbench.now), "rebuild --until")
    Shape.object(["ok": .bool, "problems": .list(.text)])
      .expect(try await bench.json("verify"), "verify")
  }
}
