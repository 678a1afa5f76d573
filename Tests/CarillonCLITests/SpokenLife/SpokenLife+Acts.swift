import CarillonTestSupport

/// What the person does.
extension SpokenLife {
  /// Runs a random verb, and returns its answer.
  mutating func act() async throws -> Answer {
    guard titles.count > 1, !random.oneIn(8), let title = titles.randomElement(using: &random)
    else {
      return try await addHabit()
    }
    let name = random.oneIn(4) ? String(title.lowercased().prefix(3)) : title
    let date = random.pick(["today", "yesterday", "today"])
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<4: return try await run("done", name, "--on", date)
    case 4: return try await run("done", title, titles[0])
    case 5: return try await run("undo", name, "--on", date)
    case 6: return try await run("skip", name, "--on", random.pick(["today", "tomorrow"]))
    case 7..<11: return try await run("snooze", name)
    case 11: return try await run("snooze", name, "--for", random.pick(["5m", "2h", "1h30m"]))
    case 12:
      let end = random.pick([["--to", "today"], ["--to", "tomorrow"], []])
      return try await run(["habit", "pause", random.oneIn(4) ? "--all" : name] + end)
    case 13: return try await run("habit", "resume", random.oneIn(4) ? "--all" : name)
    case 14: return try await run("habit", "edit", name, "--goal", "3/week")
    case 15: return try await run("habit", random.pick(["archive", "unarchive"]), title)
    case 16:
      return try await run("settings", "set", "quietHours", random.pick(["22-7", "none", "12-14"]))
    case 17: return try await run("settings", "set", "dayStart", random.pick(["00:00", "04:00"]))
    case 18: return try await run("habit", "edit", name, "--at", random.pick(["6:45", "21:15"]))
    case 19: return try await run("schedule", "add", name, "--at", random.pick(["13:00", "1:30"]))
    case 20: return try await run("undo", name, "--all")
    case 21: return try await run("done", name)
    default: return try await mistake(title)
    }
  }

  /// Runs a verb with a mistake, which must be refused and write nothing.
  private mutating func mistake(_ title: String) async throws -> Answer {
    let before = try await events()
    let arguments = random.pick([
      ["done", title + "x"], ["snooze", title, "--for", "soon"], ["done", title, "--on", "32"],
      ["habit", "add", "Late", "--at", "25:00"], ["habit", "add", title, "--at", "7"],
      ["skip", title, "--on", "2026-02-30"], ["settings", "set", "quietHours", "7"],
    ])
    let answer = try await run(arguments)
    if answer.status == 0 { fail("\(arguments) was not refused: \(answer)") }
    if try await events() != before { fail("\(arguments) was refused and wrote events") }
    return answer
  }

  private func events() async throws -> Int? { try await json("status")["events"]?.number }

  private mutating func addHabit() async throws -> Answer {
    let title = "\(random.pick(["Walk", "Water", "Gym", "Pills", "Read"])) \(titles.count)"
    let flags = random.pick([
      ["--at", "7"], ["--at", "17:00", "--unless", "done"], ["--at", "8:00,20:00"],
      ["--at", "8:30,13:15,21:45", "--unless", "done"],
      ["--at", "23:30", "--unless", "done"], ["--interval", "2h", "--window", "8-20"],
      ["--on", "weekdays", "--at", "7pm"], ["--once", "tomorrow", "--at", "9"],
      ["--every", "2d", "--at", "12:30", "--unless", "done"],
      ["--at", "18:00", "--quota", "3/week"], ["--on", "mon,thu", "--at", "2:30"],
      ["--at", "22:30", "--quiet-hours", "fire"], ["--place", "52.52,13.405,200m"],
    ])
    titles.append(title)
    return try await run(["habit", "add", title] + flags)
  }
}
