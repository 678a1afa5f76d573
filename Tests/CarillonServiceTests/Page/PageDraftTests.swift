#if Service
import Testing

extension BrowserTests {
  /// What a person typed is not lost.
  @Suite struct PageDraftTests {
    let bench: ServiceBench

    init() async throws {
      bench = try await ServiceBench.make()
      try await bench.run("habit", "add", "Walk")
    }
  }
}

extension BrowserTests.PageDraftTests {
  private static let escape = "\u{E00C}"

  private func openPage(_ browser: Browser, of service: RunningService) async throws {
    try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
    try await browser.wait(for: "document.querySelector('[data-row]')")
  }

  @Test("A note that was closed with Escape is there when it is opened again, and not saved")
  func note() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await browser.act("document.querySelector('.check').focus()")
      try await browser.press("n")
      try await browser.wait(for: "document.activeElement.matches('dialog textarea')")
      try await browser.press("Along the river\(Self.escape)")
      try await browser.wait(for: "!document.querySelector('dialog')")
      try await browser.wait(for: "document.body.innerText.includes('the note is not saved')")
      try await browser.act("document.querySelector('.check').focus()")
      try await browser.press("n")
      try await browser.wait(
        for: "document.querySelector('dialog textarea')?.value === 'Along the river'")
      let before = try await bench.run("habit", "show", "Walk")
      #expect(!before.output.contains("Along the river"))
      try await browser.act("document.querySelector('dialog .primary').click()")
      try await browser.wait(for: "document.body.innerText.includes('note saved')")
      // The page forgets what was typed once it shows the change.
      try await browser.wait(for: "sessionStorage.length === 0")
    }
  }

  @Test("A form outlives another view and a reload, and Cancel asks before it is discarded")
  func form() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await browser.press("a")
      try await browser.wait(for: "document.activeElement.matches('input[type=text]')")
      try await browser.press("Swim")
      try await browser.act("document.querySelector('.schedule .time-box input').value = '06:15'")
      try await browser.press(" early")
      try await browser.act("location.hash = '#/today'")
      try await browser.wait(for: "document.querySelector('[data-row]')")
      try await browser.act("location.hash = '#/habits/new'; location.reload()")
      try await browser.wait(
        for: "document.querySelector('form input[type=text]')?.value === 'Swim early'"
          + " && document.querySelector('.time-box input').value === '06:15'")
      let discard = "[...document.querySelectorAll('dialog button')].at(-1)"
      try await browser.act("document.querySelector('.form-end a').click()")
      try await browser.wait(for: "document.querySelector('dialog')")
      try await browser.press(Self.escape)
      try await browser.wait(for: "!document.querySelector('dialog')")
      #expect(try await browser.run("return location.hash") == "#/habits/new")
      try await browser.act("document.querySelector('.form-end a').click()")
      try await browser.wait(for: "\(discard)?.textContent === 'Discard'")
      try await browser.act("\(discard).click()")
      try await browser.wait(for: "document.body.innerText.includes('1 habit')")
      try await browser.press("a")
      try await browser.wait(
        for: "document.querySelector('form input[type=text]')?.value === ''")
    }
  }
}
#endif
