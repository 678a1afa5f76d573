#if Service
import CarillonTestSupport
import Foundation
import Testing

extension BrowserTests {
  /// How the page looks, and how it reads for people who do not look.
  @Suite struct PageLookTests {}
}

extension BrowserTests.PageLookTests {
  private static let views = [
    "today", "coming", "habits", "habits/HABIT", "habits/new", "habits/HABIT/edit", "history",
    "devices", "log",
  ]

  @Test(
    "Every control has a name, every text has contrast, and nothing is wider than the window",
    arguments: ["light", "dark"], [390, 1_280])
  func audit(scheme: String, width: Int) async throws {
    let bench = try await ServiceBench.make()
    let habit = try await Self.fill(bench)
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await browser.look(width: width, scheme: scheme)
      try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
      try await browser.wait(for: "document.querySelector('[data-row]')")
      for view in Self.views {
        let path = view.replacing("HABIT", with: habit)
        try await browser.act("location.hash = '#/\(path)'")
        try await browser.wait(
          for: "!document.getElementById('main').innerText.includes('Reading the plan')"
            + " && document.querySelectorAll('#main *').length > 12")
        try await browser.settle()
        let findings = try await browser.audit()
        #expect(findings.isEmpty, "\(view)")
        let unnamed = try await Self.unnamed(browser)
        #expect(unnamed.isEmpty, "\(view)")
        let name = "\(view.replacing("/", with: "-").lowercased())-\(scheme)-\(width).png"
        Attachment.record(try await browser.picture(), named: name)
      }
    }
  }

  @Test("With all its parts open, the form of a habit fits on a phone", arguments: [320, 390])
  func form(width: Int) async throws {
    let bench = try await ServiceBench.make()
    try await bench.run("habit", "add", "Water", "--target", "8", "--interval", "2h")
    let list = try await bench.run("habit", "show", "Water", "--json")
    let habit = try #require(list.output.firstMatch(of: /"id":"([0-9a-f-]+)"/)).output.1
    let service = try await bench.serve()
    try await Browser.use(in: bench) { browser in
      try await browser.look(width: width, scheme: "light")
      try await browser.open("http://127.0.0.1:\(service.port)/#token=\(service.token)")
      try await browser.wait(for: "document.querySelector('[data-row]')")
      for (view, title) in [("new", "Add a habit"), ("\(habit)/edit", "Edit a habit")] {
        try await browser.act("location.hash = '#/habits/\(view)'")
        try await browser.wait(
          for: "document.querySelector('h1').textContent === '\(title)'"
            + " && document.querySelector('details.form-part')")
        try await browser.act("document.querySelector('details.form-part').open = true")
        try await browser.settle()
        let findings = try await browser.audit()
        #expect(findings.isEmpty, "\(title)")
        try await browser.act("document.querySelector('details.form-part').scrollIntoView()")
        let name = "\(title.replacing(" ", with: "-").lowercased())-\(width).png"
        Attachment.record(try await browser.picture(), named: name)
      }
    }
  }

  /// Fills a store with habits of several kinds, and returns the ID of one.
  private static func fill(_ bench: ServiceBench) async throws -> String {
    let long = "Stretch the shoulders, the neck and the lower back for at least five minutes a day"
    let habits = [
      ["Walk", "--on", "mon-fri", "--at", "07:30,17:00", "--unless", "done", "--group", "Health"],
      ["Drink water", "--target", "8", "--unit", "glasses", "--interval", "2h"],
      ["Read", "--target", "20", "--unit", "pages", "--at", "21:30"], [long, "--at", "11:00"],
      ["Coffee", "--at-most", "2", "--unit", "cups"], ["\u{1F9D8} Meditate", "--at", "06:45"],
      ["\u{5EA}\u{5E8}\u{5D2}\u{5D5}\u{5DC}", "--at", "19:00"], ["Swim"],
      ["Buy milk", "--place", "52.52,13.405,200m"],
    ]
    for habit in habits {
      let added = try await StartedProgram(
        BuiltProgram.url("carillon"), ["habit", "add"] + habit, in: bench
      ).end()
      try #require(added.status == 0, "\(added)")
    }
    try await bench.run("done", "Walk", "--note", "Along the river")
    try await bench.run("done", "Drink", "--amount", "3")
    try await bench.run("skip", "Swim")
    try await bench.run("habit", "pause", "Read")
    let list = try await bench.run("habit", "show", "Walk", "--json")
    return String(try #require(list.output.firstMatch(of: /"id":"([0-9a-f-]+)"/)).output.1)
  }

  /// Returns the roles of the controls in the tree of accessibility that have no name.
  private static func unnamed(_ browser: Browser) async throws -> [String] {
    let roles: Set = [
      "button", "link", "textbox", "searchbox", "checkbox", "combobox", "radio", "spinbutton",
      "switch", "menuitem", "img", "progressbar",
    ]
    // The answer has one member, the list.
    let tree =
      try await browser.command("Accessibility.getFullAXTree")
      .values.first as? [[String: Any]]
    return (tree ?? []).compactMap { one in
      let role = (one["role"] as? [String: Any])?["value"] as? String ?? ""
      let name = (one["name"] as? [String: Any])?["value"] as? String ?? ""
      return one["ignored"] as? Bool != true && roles.contains(role) && name.isEmpty ? role : nil
    }
  }
}
#endif
