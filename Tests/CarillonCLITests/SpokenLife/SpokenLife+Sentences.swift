import CarillonModel

/// What the verbs say.
extension SpokenLife {
  /// Compares what a verb said when it was run.
  mutating func check(_ answer: Answer) {
    for line in answer.output.split(separator: "\n") {
      if let part = line.firstMatch(
        of: /^(.+); it next fires on (.+?)(?:, planned once .+|, when quiet hours end)?\.?$/)
      {
        guard let title = titles.last(where: { part.1.contains($0) }) else {
          fail("of which habit is this: \(line)")
          continue
        }
        // The answer about one of several schedules names its own next time.
        let next = (coming[title] ?? []).map(text)
        expect(
          line.hasPrefix("Added to ")
            ? next.contains(String(part.2)) : next.first == String(part.2), String(line), title)
      } else if let part = line.firstMatch(
        of: /^(.+?) \(.+?\) is snoozed until (.+?)(?:\.|\. The date is done; it fires .*|, in .*)$/)
      {
        let title = String(part.1)
        let ends = line.firstMatch(of: /when they end, ([^.]+)\./)
        let end = String(ends?.1 ?? part.2)
        expect((coming[title] ?? []).map(text).contains(end), String(line), title)
      } else if let part = line.firstMatch(
        of: /^Paused (.+?) until (?:the end of (.+?)|resumed)\.$/)
      {
        checkPause(of: String(part.1), until: part.2.map(String.init), String(line))
      } else if let part = line.firstMatch(
        of: /^(.+?): .*; not planned: another reminder .* when quiet hours end, (.+)$/)
      {
        let title = titles.last { part.1.contains($0) } ?? ""
        expect((coming[title] ?? []).map(text).contains(String(part.2)), String(line), title)
      } else if let part = line.firstMatch(
        of: /^Undone.*It is snoozed until ([^.,]+)(?:, in .* when they end, ([^.]+))?\.$/)
      {
        let title = titles.last { line.contains($0) } ?? ""
        let end = String(part.2 ?? part.1)
        expect((coming[title] ?? []).map(text).contains(end), String(line), title)
      } else if let part = line.firstMatch(
        of: /^Done: (.+?)(?: on [^.]+)?\..* Its reminders? at (.+?) no longer comes?[;.]/)
      {
        let (title, ended) = (String(part.1), part.2.split(separator: ", "))
        let fires = (coming[title] ?? []).filter { date(of: $0) == date(of: now) }
        let isEnded = !fires.contains { ended.contains(text($0).suffix(5)) }
        expect(titles.contains(title) && isEnded, String(line), title)
      } else if line.contains(/snoozed|fires/), answer.status == 0 {
        fail("what does this say: \(line)")
      }
    }
  }

  /// Checks that nothing fires before the end of a pause.
  ///
  /// Before 04:00 a reminder may belong to the day before the pause.
  private mutating func checkPause(of name: String, until end: String?, _ line: String) {
    let days = (-1...8).map { Instant(milliseconds: now.milliseconds + $0 * 86_400_000) }
    let last = end.map { end in days.first { text($0).hasPrefix(end) }.map(date) ?? "" }
    for title in name == "all habits" ? titles : [name] {
      let fires = (coming[title] ?? []).filter { at in
        text(at).suffix(5) >= "04:00" && last.map { date(of: at) <= $0 } ?? true
      }
      expect(fires.isEmpty && last != "", line, title)
    }
  }

  /// Compares `today`, `week`, `pending`, `explain` and `receipts`.
  mutating func checkViews() async throws {
    for habit in try await json("today")["habits"]?.list ?? [] {
      let title = habit["title"]?.text ?? ""
      let next = habit["next"]?["fireAt"]?.instant
      expect(next == coming[title]?.first, "today: \(habit)", title)
    }
    let dayStart = try await json("settings")["settings"]?["dayStart"]?.text ?? ""
    for habit in try await json("week")["habits"]?.list ?? [] {
      let title = habit["title"]?.text ?? ""
      for day in habit["days"]?.list ?? [] {
        let held = coming[title]?.first {
          date(of: $0, from: dayStart) == day["date"]?.text
        }
        expect(day["fireAt"]?.instant == held, "week: \(day)", title)
      }
    }
    for request in try await json("pending")["pending"]?.list ?? [] {
      guard let title = request["title"]?.text, let at = request["fireAt"]?.instant, at <= horizon
      else { continue }
      let sentence = "pending: \(text(at))"
      expect(coming[title]?.contains(at) ?? false, sentence, title)
    }
    if let title = titles.randomElement(using: &random) {
      for day in ["today", "tomorrow"] { try await checkExplanation(of: title, on: day) }
    }
    try await checkPast()
  }

  private mutating func checkExplanation(of title: String, on day: String) async throws {
    let occurrences = try await json("explain", title, "--on", day)["occurrences"]?.list ?? []
    let planned = Set(occurrences.filter(\.isPlanned).compactMap { $0["fireAt"]?.instant })
    let known = coming[title] ?? []
    for occurrence in occurrences {
      guard let at = occurrence["fireAt"]?.instant else { continue }
      let sentence = "explain \(day): \(occurrence)"
      if at <= now {
        expect(fired[title]?.contains(at) ?? false, sentence, title)
      } else if occurrence.isPlanned || !planned.contains(at) {
        expect(known.contains(at) == occurrence.isPlanned, sentence, title)
      }
      // Another reminder fires for it when quiet hours end.
      if occurrence["reason"]?.text == "quietHours", let end = occurrence["until"]?.instant {
        expect(known.contains(end), sentence, title)
      }
    }
  }

  /// Compares what fired since the last time with the receipts.
  private mutating func checkPast() async throws {
    let fired = past
    past = []
    guard !fired.isEmpty else { return }
    let receipts = try await json("receipts", "list", "--limit", "1000")["receipts"]?.list ?? []
    let said = Set(
      receipts.filter { ["delivered", "acted"].contains($0["state"]?.text) }
        .compactMap { $0["fireAt"]?.instant })
    for (title, at) in fired {
      let sentence = "fired at \(text(at)), but receipts do not say so"
      expect(said.contains(at), sentence, title)
    }
  }
}

extension Document {
  fileprivate var instant: Instant? { text.flatMap { Instant(rfc3339: $0) } }

  /// Whether an occurrence of `explain` is planned.
  fileprivate var isPlanned: Bool { self["reason"]?.text == "planned" }
}
