#if Service
import Testing

extension BrowserTests {
  /// What the page says where there is no time to show, or nothing at all.
  @Suite struct PageWordTests {}
}

extension BrowserTests.PageWordTests {
  private func open(
    _ browser: Browser, of service: RunningService, until script: String
  ) async throws {
    try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
    try await browser.wait(for: script)
  }

  @Test("A reminder at a place names the place, and no time")
  func place() async throws {
    let bench = try await ServiceBench.make()
    try await bench.run("habit", "add", "Buy milk", "--place", "52.52,13.405,200m")
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      // Without a date it is not due today.
      try await open(browser, of: service, until: "document.querySelector('.group-rest summary')")
      try await browser.act("location.hash = '#/coming'")
      try await browser.wait(for: "document.querySelector('.timeline-row')")
      let row: String = try await browser.run(
        "return document.querySelector('.timeline-row').innerText")
      #expect(row.contains("At a place, at any time") && !row.contains("00:00"), "\(row)")
      try await browser.act("location.hash = document.querySelector('.timeline-row a').hash")
      try await browser.wait(for: "document.querySelector('.heat-cell[tabindex=\"0\"]')")
      try await browser.act("document.querySelector('.heat-cell[tabindex=\"0\"]').click()")
      try await browser.wait(for: "document.querySelector('dialog .reasons li')")
      let reason: String = try await browser.run(
        "return document.querySelector('dialog .reasons').innerText")
      #expect(reason.hasPrefix("At a place: "), "\(reason)")
    }
  }

  @Test("Where reminders are off, one notice says so, and each habit has its time")
  func remindersOff() async throws {
    let bench = try await ServiceBench.make()
    try await bench.run("habit", "add", "Walk", "--at", "12:00")
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await open(browser, of: service, until: "document.querySelector('.notice a')")
      let today: String = try await browser.run(
        "return document.getElementById('main').innerText")
      #expect(today.contains("Reminders are off on this device. Turn them on"), "\(today)")
      #expect(today.contains("12:00") && !today.contains("allowed"), "\(today)")
    }
  }

  @Test("A server shows the times of the phone that reminds, and nothing to turn on")
  func server() async throws {
    let bench = try await ServiceBench.make()
    try await bench.run("replicas", "role", "phone", "server")
    try await bench.run("habit", "add", "Walk", "--at", "12:00")
    let pixel = bench.path("pixel")
    try await bench.run(
      "clone", bench.path("phone"), pixel, "--replica", "pixel", "--role", "phone")
    try await bench.run("permission", "grant", "--store", pixel)
    try await bench.run("alerts", "on", "--store", pixel)
    try await bench.run("sync", bench.path("phone"), pixel)
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await open(browser, of: service, until: "document.querySelector('[data-row]')")
      let today: String = try await browser.run(
        "return document.getElementById('main').innerText")
      #expect(today.contains("12:00") && today.contains(", on pixel"), "\(today)")
      #expect(!today.contains("Reminders are off"), "\(today)")
      try await browser.act("location.hash = '#/coming'")
      try await browser.wait(for: "document.querySelector('.timeline-row.comes')")
      let coming: String = try await browser.run(
        "return document.getElementById('main').innerText")
      #expect(coming.contains(", on pixel") && !coming.contains("does not come"), "\(coming)")
      #expect(!coming.contains("Reminders are off"), "\(coming)")
    }
  }

  @Test("In a store without habits, each view says what to do next")
  func empty() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let next = [
      "today": "Add a habit", "coming": "Add a habit", "habits": "Add a habit",
      "history": "See what comes",
    ]
    try await Browser.use(in: bench) { browser in
      try await open(browser, of: service, until: "document.querySelector('.empty a')")
      for (view, words) in next {
        try await browser.act("location.hash = '#/\(view)'")
        try await browser.wait(
          for: "document.querySelector('.view-\(view) .empty a')?.textContent === '\(words)'")
      }
      try await browser.act("location.hash = '#/devices'")
      try await browser.wait(for: "document.querySelector('.this-device')")
      try await browser.wait(for: "document.body.innerText.includes('while this page is open')")
    }
  }
}
#endif
