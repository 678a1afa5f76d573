#if Service
import CarillonAccess
import Foundation
import Testing

extension BrowserTests {
  /// Invitations, and what those who were invited see.
  @Suite struct PageAccessTests {
    let bench: ServiceBench

    init() async throws {
      bench = try await ServiceBench.make()
      try await bench.run("habit", "add", "Walk", "--at", "00:01,23:59")
      try await bench.run("done", "Walk", "--note", "Along the river")
    }
  }
}

extension BrowserTests.PageAccessTests {
  private var row: String { "document.querySelector('[data-row]')" }

  /// Invites a viewer in the owner's browser, and returns the link.
  private func invite(_ browser: Browser, of service: RunningService) async throws -> String {
    try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
    try await browser.wait(for: row)
    try await browser.act("location.hash = '#/devices'")
    try await browser.wait(for: "document.querySelector('.access-rows li')")
    try await browser.act("document.querySelector('.access .primary').click()")
    try await browser.wait(for: "document.querySelector('dialog form')")
    try await browser.act(
      """
      document.querySelector('dialog [value=viewer]').click();
      document.querySelector('dialog .primary').click();
      """)
    try await browser.wait(for: "document.querySelector('dialog .copy-field')")
    return try await browser.run("return document.querySelector('dialog .copy-field input').value")
  }

  @Test(
    "The QR code of an invitation has its link, also for a camera that sees dark colors",
    .enabled(if: Shell.has("zbarimg"), "zbarimg is not installed"), arguments: ["light", "dark"])
  func code(scheme: String) async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await browser.look(width: 390, scheme: scheme)
      let link = try await invite(browser, of: service)
      let picture = bench.path("code.png")
      try await Data(browser.picture()).write(to: URL(filePath: picture))
      let read = try await Shell.run("zbarimg --quiet --raw code.png", in: bench)
      #expect(read.output == link + "\n", "\(read)")
    }
  }

  /// Opens an invitation, and uses it in the browser.
  private func join(_ browser: Browser, by link: String, as name: String) async throws {
    try await browser.open(link)
    try await browser.wait(for: "document.querySelector('.closed-text form')")
    try await browser.act(
      """
      document.querySelector('form input').value = '\(name)';
      document.querySelector('form button').click();
      """)
  }

  @Test("A viewer that the owner invited sees everything, changes nothing, and can be revoked")
  func viewer() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { owner in
      let link = try await invite(owner, of: service)
      try await Browser.use(in: bench, by: "viewer") { viewer in
        try await join(viewer, by: link, as: "Anna")
        try await viewer.wait(for: row)
        try await looksOnly(viewer)
        try await owner.wait(for: "document.body.innerText.includes('Anna has access now')")
        try await owner.act("document.querySelector('dialog .button').click()")
        try await owner.wait(
          for: "document.querySelector('.access-rows').innerText.includes('Anna')")
        try await owner.act("document.querySelector('.access-rows button').click()")
        try await owner.wait(for: "document.querySelector('dialog .danger')")
        try await owner.act("document.querySelector('dialog .danger').click()")
        try await owner.wait(
          for: "!document.querySelector('.access-rows').innerText.includes('Anna')")
        try await viewer.act("location.reload()")
        try await viewer.wait(for: "document.body.innerText.includes('Your access has ended')")
        // The invitation is used.
        try await viewer.open(link)
        try await viewer.wait(
          for: "document.querySelector('.closed-text')?.innerText.includes('was used')")
        #expect(
          try await viewer.run(
            "return document.querySelector('form, .copy-field') === null"))
      }
    }
  }

  @Test("The owner can invite every role, and a link that works only here says what to do")
  func roles() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      _ = try await invite(browser, of: service)
      let notice: String = try await browser.run(
        "return document.querySelector('dialog .notice').textContent")
      for flag in ["--listen", "--tls-certificate", "--tls-key", "--names"] {
        #expect(notice.contains(flag), "\(notice)")
      }
      try await browser.act(
        """
        document.querySelector('dialog .icon-button').click();
        document.querySelector('.access .primary').click();
        """)
      let roles: [String] = try await browser.run(
        "return [...document.querySelectorAll('dialog [name=role]')].map((one) => one.value)")
      #expect(roles == AccessRole.allCases.map(\.rawValue))
    }
  }

  @Test("An invitation says what it is for, and another address leaves it")
  func invitation() async throws {
    let service = try await bench.serve()
    try await Browser.use(in: bench) { owner in
      let link = try await invite(owner, of: service)
      try await Browser.use(in: bench, by: "viewer") { viewer in
        try await viewer.open(link)
        try await viewer.wait(for: "document.querySelector('.closed-text form')")
        #expect(
          try await viewer.run(
            """
            return document.querySelector('.copy-field') === null
              && document.body.innerText.includes('ask for an invitation of a device')
            """))
        try await viewer.act("location.hash = '#/today'")
        try await viewer.wait(
          for: "document.body.innerText.includes('Open the link of the program')")
      }
    }
  }

  @Test("A revoked device is marked as revoked, and is not said to lack anything")
  func revoked() async throws {
    let sealed = try await ServiceBench.make(isSealed: true)
    let arguments = [sealed.path("phone"), sealed.path("tablet"), "--replica", "tablet"]
    _ = try await sealed.run("clone", arguments)
    _ = try await sealed.run("access", "revoke", "tablet")
    let service = try await sealed.serve()
    try await Browser.use(in: sealed) { browser in
      try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
      try await browser.wait(for: "document.querySelector('.empty')")
      try await browser.act("location.hash = '#/devices'")
      let card = """
        [...document.querySelectorAll('ul.cards > li')]
          .find((card) => card.querySelector('h2').textContent === 'tablet')
        """
      try await browser.wait(for: card)
      let text: String = try await browser.run("return \(card).innerText")
      #expect(text.contains("Revoked") && !text.contains("lack"), "\(text)")
    }
  }

  /// Expects that no view has anything that changes the store, and that it would be refused.
  private func looksOnly(_ viewer: Browser) async throws {
    let habit: String = try await viewer.run("return \(row).dataset.habit")
    let views = [
      "today", "coming", "habits", "habits/\(habit)", "habits/new", "habits/\(habit)/edit",
      "history", "devices", "log",
    ]
    for view in views {
      try await viewer.act("location.hash = '#/\(view)'")
      try await viewer.settle()
      let controls: [String] = try await viewer.run(
        """
        return [...document.querySelectorAll(
          '#main button, #main form, #main a[href$="/new"], #main a[href$="/edit"]')]
          .filter((one) => one.checkVisibility())
          .map((one) => one.ariaLabel ?? one.textContent)
          .filter((name) => !/^(Sign out|Show older|The (week|year) (before|after))$/.test(name)
            && !/^\\w+day \\d/.test(name) && !/^\\w{3},? \\d+ \\w+/.test(name))
        """)
      #expect(controls.isEmpty, "\(view)")
      #expect(try await viewer.audit().isEmpty, "\(view)")
      #expect(try await viewer.run("return document.getElementById('role').checkVisibility()"))
    }
    try await viewer.act("location.hash = '#/today'")
    try await viewer.wait(for: row)
    try await viewer.press("jda")
    try await viewer.act(
      """
      fetch('/v1/habits/\(habit)/skip', { method: 'POST', body: '{}' })
        .then((answer) => { window.answered = answer.status; });
      """)
    try await viewer.wait(for: "window.answered === 403")
    #expect(try await viewer.run("return location.hash") == "#/today")
    #expect(try await viewer.run("return document.querySelector('.message') === null"))
  }
}
#endif
