import CarillonDocuments
import Testing

/// All flags for when a schedule reminds and when it does not, and what is refused.
struct ScheduleFlagTests {
  @Test("A reminder with --quiet-hours fire fires at its time in quiet hours")
  func firesInQuietHours() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("settings", "set", "quietHours", "22:00-07:00")
    let added = try await bench.run(
      "habit", "add", "Pills", "--at", "06:00,14:00,22:00", "--quiet-hours", "fire")
    #expect(added.output.contains("also in quiet hours"), "\(added)")
    let fires = try await bench.json("pending")["pending"]?.list.compactMap { $0["fireAt"]?.text }
    #expect(
      fires == [
        "2026-11-23T14:00:00+01:00", "2026-11-23T22:00:00+01:00", "2026-11-24T06:00:00+01:00",
      ])
  }

  @Test(
    "The JSON of a schedule has its rule as it was given",
    arguments: [
      (
        ["--rrule", #"DTSTART:20261124T173000\nRRULE:FREQ=DAILY;COUNT=3"#],
        #"{"recurrence":"DTSTART:20261124T173000\nRRULE:FREQ=DAILY;COUNT=3"}"#
      ),
      (
        ["--rrule", "FREQ=MONTHLY;BYDAY=-1FR", "--at", "09:00"],
        #"{"recurrence":"DTSTART;VALUE=DATE:20261123\nRRULE:FREQ=MONTHLY;BYDAY=-1FR"}"#
      ),
      (
        ["--interval", "4h", "--from", "2026-11-23T08:00", "--window", "08:00-20:00"],
        #"{"interval":14400,"from":"2026-11-23T07:00:00Z","window":"08:00-20:00"}"#
      ),
      (
        ["--interval", "2h", "--window", "08:00-20:00"],
        #"{"interval":7200,"from":"2026-11-23T07:00:00Z","window":"08:00-20:00"}"#
      ),
      (
        ["--every", "2w", "--on", "thu,mon", "--at", "11:00"],
        #"{"recurrence":"DTSTART;VALUE=DATE:20261123\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH"}"#
      ),
      (["--interval", "90m"], #"{"interval":5400,"from":"2026-11-23T11:00:00Z"}"#),
      (
        ["--after-done", "4h"],
        #"{"interval":14400,"from":"2026-11-23T11:00:00Z","anchor":"entry"}"#
      ),
      (
        ["--after-done", "2d", "--from", "tomorrow 9:00"],
        #"{"interval":172800,"from":"2026-11-24T08:00:00Z","anchor":"entryOrFrom"}"#
      ),
      (
        ["--every", "2d", "--at", "18:00", "--repeat", "2x5m"],
        #"""
        {"relative":{"base":{"everyDays":2,"from":"2026-11-23"},"edge":"start",\#
        "offsetSeconds":0,"durationMinutes":0,"repeatCount":2,"repeatSeconds":300}}
        """#
      ),
      (
        ["--rrule", "FREQ=WEEKLY;BYDAY=MO;", "--at", "09:00"],
        #"{"recurrence":"DTSTART;VALUE=DATE:20261123\nRRULE:FREQ=WEEKLY;BYDAY=MO"}"#
      ),
      (
        ["--every", "2d", "--at", "18:00", "--before", "15m", "--repeat", "2x5m"],
        #"""
        {"relative":{"base":{"everyDays":2,"from":"2026-11-23"},"edge":"start",\#
        "offsetSeconds":-900,"durationMinutes":0,"repeatCount":2,"repeatSeconds":300}}
        """#
      ),
      (
        [
          "--once", "2026-12-24T18:00", "--after", "1h", "--of", "end", "--duration", "45m",
        ],
        #"""
        {"relative":{"base":{"once":"2026-12-24"},"edge":"end","offsetSeconds":3600,\#
        "durationMinutes":45,"repeatCount":0,"repeatSeconds":0}}
        """#
      ),
      (
        ["--place", "52.52,-13.405,200m", "--on-leaving"],
        #"{"place":{"latitude":52520000,"longitude":-13405000,"radius":200,"crossing":"exit"}}"#
      ),
    ])
  func rules(flags: [String], rule: String) async throws {
    let bench = try await Workbench.withStore()
    let added = try await bench.start(["habit", "add", "It"] + flags).answer()
    #expect(added.status == 0, "\(added)")
    let schedule = try #require(try await bench.json("habit", "show", "It")["schedules"]?[0])
    #expect(schedule["rule"] == (try Document(json: rule)), "\(schedule)")
    // The log has the same JSON, which can be appended again.
    let events = try await bench.run("log", "--json").documents()
    let event = try #require(events.first { $0["type"]?.text == "schedule.set" })
    #expect(event["rule"] == schedule["rule"], "\(event)")
    #expect(try await bench.run("habit", "show", "It").status == 0)
  }

  @Test("A schedule's description has its conditions, and an edit keeps what is not given")
  func conditions() async throws {
    let bench = try await Workbench.withStore()
    let added = try await bench.run(
      "habit", "add", "It", "--at", "17:00", "--unless", "done,entry", "--quota", "3/5d",
      "--unless-done-within", "50m", "--quiet-hours", "silent", "--level", "timeSensitive")
    #expect(added.output.contains("unless done, 3/5d, any entry or done within 50m"), "\(added)")
    func schedule() async throws -> Document {
      try #require(try await bench.json("habit", "show", "It")["schedules"]?[0])
    }
    var now = try await schedule()
    #expect(now["unless"] == .list([.text("done"), .text("quota"), .text("entry")]), "\(now)")
    #expect(now["quota"]?.text == "3/5d" && now["doneWithinSeconds"]?.number == 3000)
    #expect(now["quietPolicy"]?.text == "silent" && now["level"]?.text == "timeSensitive")
    try await bench.run("habit", "edit", "It", "--at", "18:00")
    var after = try await schedule()
    #expect(after["times"] == .list([.text("18:00")]))
    for name in ["unless", "quota", "doneWithinSeconds", "quietPolicy", "level"] {
      #expect(after[name] == now[name], "\(name)")
    }
    now = after
    let id = try #require(now["id"]?.text)
    let cleared = try await bench.run(
      "schedule", "edit", id, "--quota", "none", "--unless-done-within", "none", "--quiet-hours",
      "none", "--level", "none")
    #expect(cleared.status == 0, "\(cleared)")
    after = try await schedule()
    #expect(after["unless"] == .list([.text("done"), .text("entry")]), "\(after)")
    for name in ["quota", "doneWithinSeconds", "quietPolicy", "level"] {
      #expect(after[name] == nil, "\(name)")
    }
  }

  @Test("An edit changes one part of a rule and keeps the rest")
  func ruleEdits() async throws {
    let bench = try await Workbench.withStore()
    func rule(after flags: [String]) async throws -> Document? {
      let answer = try await bench.start(["habit", "edit", "It"] + flags).answer()
      #expect(answer.status == 0, "\(answer)")
      return try await bench.json("habit", "show", "It")["schedules"]?[0]?["rule"]
    }
    _ = try await bench.addHabit("It", "--on", "mon", "--at", "18:00", "--before", "15m")
    #expect(
      try await rule(after: ["--repeat", "3x1m"])?["relative"]?["offsetSeconds"]?.number == -900)
    let moved = try await rule(after: ["--on", "tue"])?["relative"]
    #expect(
      moved?["base"]?["weekly"] == .list([.text("tue")]) && moved?["repeatCount"]?.number == 3)
    #expect(try await rule(after: ["--before", "none"])?["weekly"] == .list([.text("tue")]))
    #expect(
      try await rule(after: ["--interval", "2h", "--window", "08:00-20:00"])?["interval"] != nil)
    #expect(try await bench.json("habit", "show", "It")["schedules"]?[0]?["times"] == .list([]))
    let slower = try await rule(after: ["--interval", "3h"])
    #expect(slower?["interval"]?.number == 10_800 && slower?["window"]?.text == "08:00-20:00")
    #expect(try await rule(after: ["--window", "none"])?["window"] == nil)
    #expect(try await rule(after: ["--place", "1,2,3m", "--on-leaving"])?["place"] != nil)
    let larger = try await rule(after: ["--place", "1,2,300m"])?["place"]
    #expect(larger?["crossing"]?.text == "exit" && larger?["radius"]?.number == 300)
    #expect(try await rule(after: ["--on-entering"])?["place"]?["crossing"]?.text == "entry")
  }

  @Test(
    "Conflicting flags are a usage error",
    arguments: [
      ["--rrule", "FREQ=DAILY", "--on", "mon"], ["--interval", "4h", "--every", "2d"],
      ["--place", "1,2,3m", "--once", "2026-12-24T18:00"], ["--interval", "4h", "--at", "08:00"],
      ["--rrule", "DTSTART:20261124T173000\nRRULE:FREQ=DAILY", "--at", "08:00"],
      ["--place", "1,2,3m", "--at", "08:00"],
      ["--every", "3d", "--on", "mon"], ["--interval", "30m", "--on", "mon"],
      ["--interval", "1h", "--window", "22:00-06:00", "--on", "mon"],
      ["--interval", "4h", "--on", "mon", "--from", "8:00"],
      ["--after-done", "4h", "--at", "8:00"], ["--after-done", "4h", "--interval", "4h"],
      ["--after-done", "4h", "--window", "08:00-20:00"], ["--after-done", "4h", "--before", "5m"],
      ["--window", "08:00-20:00"], ["--on-leaving"], ["--from", "2026-11-23", "--on", "mon"],
      ["--at", "08:00", "--before", "5m", "--after", "5m"], ["--at", "08:00", "--of", "end"],
      ["--interval", "4h", "--repeat", "2x5m"], ["--interval", "4h", "--before", "5m"],
      ["--at", "08:00", "--after", "5m", "--of", "end"],
      ["--at", "08:00", "--after", "5m", "--of", "end", "--duration", "none"],
    ])
  func usage(flags: [String]) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.start(["habit", "add", "It"] + flags).answer()
    #expect(answer.status == 64 && answer.errors.contains("hint: "), "\(answer)")
  }

  @Test(
    "A bad value is refused, and the error names the flag",
    arguments: [
      ("--rrule", "FREQ=DAILY;BYWEEKNO=3", "BYWEEKNO"), ("--rrule", "hello", "--rrule"),
      ("--interval", "4x", "--interval"), ("--interval", "59s", "1m to 365d"),
      ("--interval", "99999999999999999999h", "--interval"), ("--interval", "366d", "365d"),
      ("--unless", "tired", "--unless"), ("--quota", "3/year", "--quota"),
      ("--quota", "1001/week", "--quota"), ("--unless-done-within", "30s", "1m to 365d"),
      ("--quiet-hours", "loud", "--quiet-hours"), ("--level", "urgent", "--level"),
      ("--before", "soon", "--before"), ("--place", "91,0,5m", "latitude"),
      ("--place", "0,180.0000001,5m", "longitude"), ("--place", "0,0,0m", "radius"),
      ("--place", "0,0", "--place"), ("--place", "1e5,0,5m", "latitude"),
    ])
  func badValues(flag: String, value: String, says: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.run("habit", "add", "It", flag, value)
    #expect(answer.status == 64 && answer.errors.contains(says), "\(answer)")
    #expect(answer.errors.contains("hint: "), "\(answer)")
  }

  @Test(
    "A schedule that will not fire is accepted with a warning",
    arguments: [
      (["--once", "2026-11-23T11:59"], "past"), (["--once", "2020-01-01T08:00"], "past"),
      (["--rrule", "DTSTART:20200101T080000\nRRULE:FREQ=DAILY;COUNT=3"], "past"),
      (
        ["--rrule", "DTSTART:20260101T080000\nRRULE:FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30"],
        "ruleTooSparse"
      ),
      (["--rrule", "DTSTART:20261124T080000\nRRULE:FREQ=DAILY\nEXDATE:20261124T090000"], "EXDATE"),
      (["--rrule", "RRULE:FREQ=WEEKLY;BYDAY=MO\nEXDATE:20261124", "--at", "08:00"], "2026-11-24"),
      (["--at", "08:00", "--unless", "quota"], "--goal"), (["--on", "mon"], "--at"),
    ])
  func warnings(flags: [String], says: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.start(["habit", "add", "It"] + flags).answer()
    #expect(answer.status == 0, "\(answer)")
    #expect(answer.errors.contains("warning: ") && answer.errors.contains(says), "\(answer)")
    let json = try await bench.start(["habit", "add", "Other", "--json"] + flags).answer()
    #expect(try json.document()["warnings"]?.list.count == 1, "\(json)")
    #expect(json.errors.isEmpty, "\(json)")
  }
}
