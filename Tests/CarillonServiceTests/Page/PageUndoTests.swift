#if Service
import Foundation
import Testing

extension BrowserTests {
  /// What an act says, and what takes it back.
  @Suite struct PageUndoTests {
    let bench: ServiceBench

    init() async throws {
      bench = try await ServiceBench.make()
      try await bench.run("habit", "add", "Walk")
      try await bench.run("habit", "add", "Water", "--target", "8", "--unit", "glasses")
    }
  }
}

extension BrowserTests.PageUndoTests {
  private static let control = "\u{E009}"
  private static let enter = "\u{E007}"

  /// A script that returns the row of a habit.
  private func row(_ title: String) -> String {
    "[...document.querySelectorAll('[data-row]')]"
      + ".find((row) => row.querySelector('.row-title').textContent === '\(title)')"
  }

  private func says(_ text: String) -> String {
    "document.getElementById('messages').innerText.includes('\(text)')"
  }

  private func openPage(_ browser: Browser, of service: RunningService) async throws {
    try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
    try await browser.wait(for: row("Walk"))
  }

  private func press(_ key: String, on title: String, _ browser: Browser) async throws {
    try await browser.act("\(row(title)).querySelector('.check').focus()")
    try await browser.press(key)
  }

  private func waitForState(_ state: String, _ browser: Browser) async throws {
    try await browser.wait(for: "\(row("Walk"))?.dataset.state === '\(state)'")
  }

  private func hasUndo(_ browser: Browser) async throws -> Bool {
    try await browser.run("return document.querySelector('.message-undo') !== null")
  }

  @Test("To skip what is done changes nothing, offers no undo, and the done stays")
  func skipDone() async throws {
    try await bench.run("done", "Walk")
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await press("s", on: "Walk", browser)
      try await browser.wait(for: says("done already"))
      #expect(try await !hasUndo(browser))
      try await browser.press("u")
      try await browser.wait(for: says("nothing to undo"))
      try await waitForState("done", browser)
    }
  }

  @Test("Undo takes back what its own act wrote, and not what was recorded since")
  func ownAct() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await press("d", on: "Water", browser)
      try await browser.wait(for: "\(row("Water"))?.textContent.includes('1 of 8 glasses')")
      try await bench.run("done", "Water", "--amount", "3")
      try await browser.wait(for: "\(row("Water"))?.textContent.includes('4 of 8 glasses')")
      try await browser.press("u")
      try await browser.wait(for: "\(row("Water"))?.textContent.includes('3 of 8 glasses')")
      try await press("s", on: "Walk", browser)
      try await waitForState("skipped", browser)
      try await bench.run("done", "Walk")
      try await waitForState("done", browser)
      try await browser.press("u")
      try await browser.wait(for: says("Walk: taken back"))
      try await waitForState("done", browser)
    }
  }

  @Test("A second U takes back the act before, and the focus is on the habit of the act")
  func stack() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await press("d", on: "Walk", browser)
      try await waitForState("done", browser)
      try await press("d", on: "Water", browser)
      try await browser.wait(for: "\(row("Water"))?.textContent.includes('1 of 8 glasses')")
      try await browser.press("u")
      try await browser.wait(for: "\(row("Water"))?.textContent.includes('0 of 8 glasses')")
      try await browser.press("u")
      try await waitForState("open", browser)
      try await browser.wait(for: "\(row("Walk")).contains(document.activeElement)")
      // What was taken back by hand is recorded again.
      try await browser.press("d")
      try await waitForState("done", browser)
      try await press("d", on: "Walk", browser)
      try await waitForState("open", browser)
      try await browser.press("u")
      try await waitForState("done", browser)
    }
  }

  @Test("Where nothing fired, a snooze says so, has no button, and offers no undo")
  func nothingToSnooze() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      let isHidden: Bool = try await browser.run(
        "return \(row("Walk")).querySelector('[data-label^=Snooze]').hidden")
      #expect(isHidden)
      try await press("z", on: "Walk", browser)
      try await browser.wait(for: says("No reminder of Walk fired in the last 24 hours"))
      #expect(try await !hasUndo(browser))
    }
  }

  @Test("Where a reminder fired, Today has a button for a snooze, and undo ends it")
  func snooze() async throws {
    // At any hour, the reminder at noon fired within 24 hours.
    let before = Date.now.addingTimeInterval(-2 * 86_400).formatted(.iso8601)
    let bench = try await ServiceBench.make(at: before)
    try await bench.run("habit", "add", "Walk", "--at", "12:00", "--now", before)
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await browser.wait(for: "!\(row("Walk")).querySelector('[data-label^=Snooze]').hidden")
      try await press("z", on: "Walk", browser)
      try await browser.wait(for: says("Walk: snoozed until"))
      try await browser.press("u")
      try await browser.wait(for: says("Walk: taken back"))
      let ended = try await bench.run("snooze", "Walk", "--off")
      #expect(ended.output == "Walk is not snoozed.\n", "\(ended)")
    }
  }

  @Test("Ctrl+Enter saves a note and presses nothing else, and Today shows the note")
  func note() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await press("n", on: "Walk", browser)
      try await browser.wait(for: "document.activeElement.matches('dialog textarea')")
      try await browser.press("Along the river")
      try await browser.press(Self.enter, holding: Self.control)
      try await browser.wait(
        for: "\(row("Walk"))?.querySelector('.row-note').textContent === 'Along the river'")
      try await waitForState("open", browser)
      let done = try await bench.run("log")
      #expect(!done.output.contains("entry.recorded"), "\(done)")
    }
  }

  @Test("Undo of an added habit leaves its page")
  func add() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await browser.act("document.querySelector('.day-add').click()")
      try await browser.wait(for: "document.activeElement.matches('input[type=text]')")
      try await browser.press("Swim\(Self.enter)")
      try await browser.wait(for: "document.title.startsWith('Swim')")
      try await browser.press("u")
      try await browser.wait(for: "location.hash === '#/habits'")
      try await browser.wait(for: "document.body.innerText.includes('2 habits')")
    }
  }
}
#endif
