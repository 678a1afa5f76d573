#if Service
import Foundation
import Testing

extension BrowserTests {
  /// Views with many rows in a real browser.
  @Suite struct PageListTests {}
}

extension BrowserTests.PageListTests {
  /// The most elements of a view, whatever the store has.
  private static let mostElements = 1_500

  /// A store with 1,000 habits, of which each has a reminder at noon.
  private static func makeBench() async throws -> ServiceBench {
    let bench = try await ServiceBench.make()
    let lines = (1...1_000).flatMap { number in
      let (habit, schedule) = ("\(UUID())".lowercased(), "\(UUID())".lowercased())
      return [
        #"{"type":"habit.created","habit":"\#(habit)","title":"Habit \#(number)"}"#,
        #"{"type":"schedule.set","habit":"\#(habit)","schedule":"\#(schedule)","#
          + #""rule":{"weekly":["mon","tue","wed","thu","fri","sat","sun"]},"times":["12:00"]}"#,
      ]
    }
    let appended = try await bench.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
    return bench
  }

  private func elements(_ browser: Browser) async throws -> Int {
    try await browser.run("return document.querySelectorAll('*').length")
  }

  @Test("With 1,000 habits, each view has few elements at its top, in its middle and at its end")
  func fewElements() async throws {
    let bench = try await Self.makeBench()
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await browser.look(width: 390, scheme: "light")
      try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
      try await browser.wait(for: "document.querySelector('[data-row]')")
      for view in ["today", "coming", "habits", "log"] {
        try await browser.act("location.hash = '#/\(view)'")
        try await browser.wait(for: "document.querySelectorAll('#main .list > li').length > 5")
        for part in [0, 0.5, 1] {
          try await browser.act(
            "scrollTo(0, \(part) * (document.documentElement.scrollHeight - innerHeight))")
          // The rows of the place are there, under the middle of the window.
          try await browser.wait(
            for: "document.elementFromPoint(190, 350)?.closest('#main li')")
          let count = try await elements(browser)
          #expect(count < Self.mostElements, "\(view) at \(part)")
        }
        // The last row of the view is the last of the list, which may grow while it loads.
        try await browser.wait(
          for: """
            (() => {
              scrollTo(0, document.documentElement.scrollHeight);
              const last = [...document.querySelectorAll('#main .list > li')].at(-1);
              return last.ariaPosInSet === last.ariaSetSize;
            })()
            """)
      }
    }
  }

  private func openHabits(_ browser: Browser, of service: RunningService) async throws {
    try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
    try await browser.wait(for: "document.querySelector('[data-row]')")
    try await browser.act("location.hash = '#/habits'")
    try await browser.wait(for: "document.body.innerText.includes('1,000 habits')")
  }

  @Test("The keyboard reaches every row, and the row with the focus stays while the list scrolls")
  func keyboard() async throws {
    let bench = try await Self.makeBench()
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openHabits(browser, of: service)
      let focused = "document.activeElement.closest('.list > li')?.ariaPosInSet"
      try await browser.press("j")
      try await browser.wait(for: "\(focused) === '1'")
      try await browser.press(String(repeating: "j", count: 120))
      try await browser.wait(for: "\(focused) === '121'")
      try await browser.act(
        "document.querySelector('.habit-index').scrollTop = 1e6; scrollTo(0, 1e6)")
      try await browser.wait(
        for: "[...document.querySelectorAll('.list > li')].at(-1).ariaPosInSet === '1000'")
      try await browser.press("k")
      try await browser.wait(for: "\(focused) === '120'")
    }
  }

  @Test("A filter finds any of 1,000 habits")
  func filter() async throws {
    let bench = try await Self.makeBench()
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openHabits(browser, of: service)
      try await browser.press("/habit 987")
      try await browser.wait(for: "document.body.innerText.includes('1 of 1,000 habits')")
      let title: String = try await browser.run(
        "return document.querySelector('.row-title').textContent")
      #expect(title == "Habit 987")
      try await browser.press(" and more")
      try await browser.wait(for: "document.body.innerText.includes('No habit matches')")
    }
  }
}
#endif
