#if Service
import Foundation
import Testing

extension BrowserTests {
  /// The page while the service is away.
  @Suite struct PageOfflineTests {
    let bench: ServiceBench

    init() async throws {
      bench = try await ServiceBench.make()
      try await bench.run("habit", "add", "Walk", "--at", "00:01,23:59", "--unless", "done")
    }
  }
}

extension BrowserTests.PageOfflineTests {
  /// A script that returns the row of the habit.
  private var row: String { "document.querySelector('[data-row]')" }

  /// Opens the page, and waits until it has kept itself and the newest events, which come last.
  private func openAndKeep(_ browser: Browser, of service: RunningService) async throws {
    try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
    try await browser.wait(for: row)
    try await browser.wait(for: "navigator.serviceWorker.controller")
    try await browser.act(
      """
      const check = async () => {
        const kept = await Promise.all(
          [caches.match('/page/views/log.js'), caches.match('/v1/events')]);
        window.isKept = kept.every(Boolean);
        if (!window.isKept) setTimeout(check, 50);
      };
      check();
      """)
    try await browser.wait(for: "window.isKept")
  }

  @Test("Without the service, the page opens, shows the last state and says since when")
  func opens() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openAndKeep(browser, of: service)
      try await service.stop(SIGKILL)
      try await browser.open("http://127.0.0.1:\(service.port)/")
      try await browser.wait(for: row)
      try await browser.wait(for: "/Offline since \\d\\d:\\d\\d/.test(document.body.innerText)")
      // An act says that it cannot be done, and is not done later.
      try await browser.act("\(row).querySelector('.check').click()")
      try await browser.wait(for: "document.querySelector('.message.problem')")
      let again = try await bench.serve(again: service)
      try await browser.wait(for: "!document.body.classList.contains('offline')")
      let state: String = try await browser.run("return \(row).dataset.state")
      #expect(state == "open")
      try await again.stop()
    }
  }

  @Test("With a certificate that the browser does not trust, the page says once what that costs")
  func untrusted() async throws {
    try await TLSTests().makeCertificate("untrusted", in: bench)
    let service = try await bench.serve(
      "--tls-certificate", bench.path("tls.pem"), "--tls-key", bench.path("tls.key"))
    try await Browser.use(in: bench) { browser in
      let address = "https://127.0.0.1:\(service.port)/"
      try await browser.open("\(address)#token=\(service.token)")
      try await browser.wait(for: "document.title === 'Privacy error'")
      // What a person types on Chromium's warning to go on.
      try await browser.press("thisisunsafe")
      try await browser.wait(for: row)
      let words = "document.getElementById('messages').innerText.includes('does not trust')"
      try await browser.wait(for: words)
      try await browser.act("location.reload()")
      try await browser.wait(for: row)
      try await browser.act("location.hash = '#/devices'")
      try await browser.wait(
        for: "document.querySelector('.sign-out').innerText.includes('does not trust')")
      #expect(try await browser.run("return \(words)") == false)
      try await service.stop(SIGKILL)
      try await browser.wait(for: "document.body.classList.contains('offline')")
      try await browser.act("location.hash = '#/today'")
      try await browser.wait(for: row)
    }
  }

  @Test("Every view shows its last state, and a habit that was not opened says so")
  func everyView() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await openAndKeep(browser, of: service)
      let habit: String = try await browser.run("return \(row).dataset.habit")
      try await service.stop(SIGKILL)
      try await browser.wait(for: "document.body.classList.contains('offline')")
      let shown = [
        "coming": ".timeline-row", "habits": ".habit-entry", "history": ".empty",
        "devices": ".this-device", "log": ".log-row", "today": "[data-row]",
      ]
      for (view, selector) in shown {
        try await browser.act("location.hash = '#/\(view)'")
        try await browser.wait(for: "document.querySelector('#main \(selector)')")
        let text: String = try await browser.run(
          "return document.getElementById('connection').innerText")
        #expect(text.contains("This is the last state"), "\(view): \(text)")
      }
      try await browser.act("location.hash = '#/habits/\(habit)'")
      try await browser.wait(
        for: "document.getElementById('connection').innerText.includes('not opened before')")
    }
  }
}
#endif
