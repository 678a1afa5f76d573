#if Service
import Foundation
import Testing

extension BrowserTests {
  /// The page in a real browser, on the real program.
  @Suite struct PageTests {
    let bench: ServiceBench

    init() async throws {
      bench = try await ServiceBench.make()
      try await bench.run("habit", "add", "Walk", "--at", "00:01,23:59", "--unless", "done")
      try await bench.run("habit", "add", "Water", "--target", "8", "--unit", "glasses")
    }
  }
}

extension BrowserTests.PageTests {
  /// A script that returns the row of a habit.
  private func row(_ title: String) -> String {
    "[...document.querySelectorAll('[data-row]')]"
      + ".find((row) => row.querySelector('.row-title').textContent === '\(title)')"
  }

  private func openPage(_ browser: Browser, of service: RunningService) async throws {
    try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
    try await browser.wait(for: row("Walk"))
  }

  @Test("The token leaves the address, and without a session the page says how to open it")
  func session() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      let address = "http://127.0.0.1:\(service.port)/"
      try await browser.open(address)
      try await browser.wait(for: "document.querySelector('.closed-text')")
      try await openPage(browser, of: service)
      let url: String = try await browser.run("return location.href")
      #expect(url == "\(address)#/today")
      try await browser.open(address)
      try await browser.wait(for: row("Walk"))
    }
  }

  @Test("A habit that is added by keyboard is at once in a second window")
  func addByKeyboard() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      let windows = try await browser.openWindow()
      try await browser.switchTo(windows.second)
      try await browser.open("http://127.0.0.1:\(service.port)/")
      try await browser.wait(for: row("Walk"))
      try await browser.switchTo(windows.first)
      try await browser.press("a")
      try await browser.wait(for: "document.activeElement.matches('input[type=text]')")
      try await browser.press("Swim early")
      try await browser.wait(for: "document.querySelectorAll('.next-times li').length === 5")
      try await browser.press("\u{E007}")
      try await browser.wait(for: "document.title.startsWith('Swim early')")
      try await browser.switchTo(windows.second)
      try await browser.wait(for: row("Swim early"))
    }
  }

  @Test("A second habit of a title is added if the person confirms, and Cancel shows no error")
  func sameTitle() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await browser.press("a")
      try await browser.wait(for: "document.activeElement.matches('input[type=text]')")
      let dialog = "document.querySelector('dialog h2')?.textContent === 'Add a second Walk?'"
      try await browser.press("Walk\u{E007}")
      try await browser.wait(for: dialog)
      try await browser.act("document.querySelector('dialog .buttons button').click()")
      try await browser.wait(for: "!document.querySelector('dialog')")
      try await browser.settle()
      let message: String = try await browser.run(
        "return document.getElementById('messages').innerText")
      #expect(message.isEmpty)
      #expect(try await browser.run("return location.hash") == "#/habits/new")
      try await browser.act("document.querySelector('form .primary').click()")
      try await browser.wait(for: dialog)
      try await browser.act("document.querySelector('dialog .danger').click()")
      try await browser.wait(for: "document.title.startsWith('Walk')")
    }
  }

  @Test("On a phone, one tap skips what is open, and one opens the note of what is done")
  func taps() async throws {
    try await bench.run("habit", "add", "Read", "--at", "23:58")
    try await bench.run("done", "Read")
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await browser.look(width: 390, scheme: "light")
      try await openPage(browser, of: service)
      for (title, name) in [("Water", "Skip"), ("Read", "Note")] {
        let tools: [String] = try await browser.run(
          """
          return [...(\(row(title))).querySelectorAll('.tool')]
            .filter((one) => one.checkVisibility()).map((one) => one.textContent)
          """)
        #expect(tools == [name])
      }
      try await browser.act("(\(row("Water"))).querySelector('.tool-skip').click()")
      try await browser.wait(for: "\(row("Water"))?.dataset.state === 'skipped'")
      try await browser.act("(\(row("Read"))).querySelector('.tool-note').click()")
      try await browser.wait(for: "document.querySelector('dialog textarea')")
    }
  }

  @Test("What the command line records appears without a reload")
  func commandLine() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await browser.act("window.isSame = true")
      try await bench.run("done", "Walk")
      try await browser.wait(for: "\(row("Walk"))?.dataset.state === 'done'")
      #expect(try await browser.run("return window.isSame", as: Bool.self))
    }
  }

  @Test("One key does, skips and notes, and U takes it back")
  func keys() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      for (key, state) in [("d", "done"), ("s", "skipped")] {
        try await browser.act("\(row("Walk")).querySelector('.check').focus()")
        try await browser.press(key)
        try await browser.wait(for: "\(row("Walk"))?.dataset.state === '\(state)'")
        try await browser.wait(
          for: "document.getElementById('spoken').textContent.includes('Walk')")
        try await browser.press("u")
        try await browser.wait(for: "\(row("Walk"))?.dataset.state === 'open'")
      }
      try await browser.act("\(row("Water")).querySelector('.check').focus()")
      try await browser.press("dd")
      try await browser.wait(for: "\(row("Water"))?.textContent.includes('2 of 8 glasses')")
      try await browser.press("n")
      try await browser.wait(for: "document.querySelector('dialog textarea')")
      try await browser.press("Along the river")
      try await browser.act("document.querySelector('dialog .primary').click()")
      try await browser.wait(for: "document.body.innerText.includes('note saved')")
      let shown = try await bench.run("habit", "show", "Water")
      #expect(shown.output.contains("Along the river"), "\(shown)")
    }
  }

  @Test("The page reconnects after a kill of the service, and nothing is there twice")
  func kill() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await service.stop(SIGKILL)
      try await browser.wait(for: "document.body.classList.contains('offline')")
      try await bench.run("done", "Water", "--amount", "3")
      let again = try await bench.serve(again: service)
      try await browser.wait(for: "!document.body.classList.contains('offline')")
      try await browser.wait(for: "\(row("Water"))?.textContent.includes('3 of 8 glasses')")
      let titles: [String] = try await browser.run(
        "return [...document.querySelectorAll('.row-title')].map((one) => one.textContent)")
      #expect(titles.sorted() == ["Walk", "Water"])
      try await again.stop()
    }
  }

  @Test("A title, a group and a note that look like HTML stay text in every view")
  func markup() async throws {
    let title = #"<img src=x onerror="window.isBroken = true">"#
    try await bench.run("habit", "add", title, "--at", "23:58", "--group", "<b>Group</b>")
    try await bench.run("done", "<img", "--note", "<script>window.isBroken = true</script>")
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await browser.wait(for: row(title))
      let habit: String = try await browser.run("return \(row(title)).dataset.habit")
      for view in ["today", "coming", "habits", "habits/\(habit)", "habits/\(habit)/edit", "log"] {
        try await browser.act("location.hash = '#/\(view)'")
        try await browser.wait(
          for: "document.querySelector('#main').innerText.includes('<img src=x')"
            + " || document.querySelector('form input')?.value.includes('<img src=x')")
      }
      let isBroken: Bool = try await browser.run("return Boolean(window.isBroken)")
      let images: Int = try await browser.run("return document.querySelectorAll('main img').length")
      #expect(!isBroken && images == 0)
    }
  }

  @Test("The log lists events with a filter, and a rebuild says how far it is")
  func log() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      try await browser.press("6")
      try await browser.wait(for: "document.querySelectorAll('.log-row').length > 3")
      try await browser.press("/added water")
      try await browser.wait(for: "document.querySelectorAll('.log-row').length === 1")
      try await browser.act(
        """
        document.querySelector('.maintenance').open = true;
        document.querySelector('.maintenance button').click();
        """)
      try await browser.wait(for: "document.body.innerText.includes('Rebuilt from')")
      try await browser.wait(for: "!document.querySelector('.maintenance button').disabled")
      #expect(
        try await browser.run(
          "return document.querySelector('.maintenance progress').hidden", as: Bool.self))
    }
  }

  @Test("The page can be installed, and asks for notifications only where the person wants them")
  func app() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openPage(browser, of: service)
      let manifest = try await browser.command("Page.getAppManifest")
      #expect((manifest["errors"] as? [Any])?.isEmpty == true, "\(manifest)")
      let origin = "http://127.0.0.1:\(service.port)"
      try await browser.command(
        "Browser.grantPermissions", ["origin": origin, "permissions": ["notifications"]])
      let before = try await bench.run("permission", "show", "--json")
      #expect(before.output.contains(#""alerts":false"#), "\(before)")
      try await browser.press("5")
      try await browser.wait(for: "document.querySelector('[role=switch]')")
      let isOff = "document.body.innerText.includes('Reminders are off on this device')"
      try await browser.wait(for: isOff)
      try await browser.act("document.querySelector('[role=switch]').click()")
      try await browser.wait(for: "!\(isOff)")
      let after = try await bench.run("permission", "show", "--json")
      #expect(after.output.contains(#""status":"authorized""#), "\(after)")
      #expect(after.output.contains(#""alerts":true"#), "\(after)")
    }
  }
}
#endif
