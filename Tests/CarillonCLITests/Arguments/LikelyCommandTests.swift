import Testing

@testable import CarillonCLI

/// The hints for what people are likely to type.
struct LikelyCommandTests {
  @Test(
    "A refused command has the hint of the one that was probably meant",
    arguments: [
      ("done Walk yesterday", "carillon done Walk --on yesterday"),
      ("done Water 3", "carillon done Water --amount 3"),
      ("done walk water fri", "carillon done walk water --on fri"),
      ("done Walk yesterday 7am", "carillon done Walk --on yesterday --at 7am"),
      ("undo Walk 2026-11-20", "carillon undo Walk --on 2026-11-20"),
      ("skip Walk fri sat", "carillon skip Walk --on fri --on sat"),
      ("snooze walk 30m", "carillon snooze walk --for 30m"),
      ("snooze walk 9pm", "carillon snooze walk --until 9pm"),
      ("habit pause Walk fri", "carillon habit pause Walk --to fri"),
      ("explain Walk tomorrow", "carillon explain Walk --on tomorrow"),
      ("unskip Walk", "carillon undo Walk"), ("pause Walk", "carillon habit pause Walk"),
      ("resume Walk", "carillon habit resume Walk"),
      ("habit rename Walk", "carillon habit edit Walk"),
      ("habit rename Walk Stroll", "carillon habit edit Walk --title Stroll"),
      ("archive Walk", "carillon habit archive Walk"),
      ("habit done Walk", "carillon done Walk"),
      ("add Run --at 7", "carillon habit add Run --at 7"),
      ("grant", "carillon permission grant"), ("pause", "carillon habit pause"),
      ("new Run --at 7", "carillon habit add Run --at 7"), ("ls", "carillon habit list"),
      ("new Morning run 7am", "carillon habit add 'Morning run' --at 7am"),
      ("check Walk", "carillon done Walk"), ("rm Walk", "carillon habit delete Walk"),
      ("check Walk 2 days ago", "carillon done Walk --on '2 days ago'"),
      ("habit remove Walk", "carillon habit delete Walk"),
      ("schedule list", "carillon habit list"), ("schedule list Walk", "carillon habit show Walk"),
      ("export csv", "carillon export --format csv"),
      ("habit add Run --time 7", "carillon habit add Run --at 7"),
      ("habit add Run --time=7 --days mon", "carillon habit add Run --at=7 --on mon"),
      ("habit add Run --daily --at 7", "carillon habit add Run --at 7"),
      ("habit add Tea --count 3", "carillon habit add Tea --target 3"),
      ("done Walk --date yesterday", "carillon done Walk --on yesterday"),
      (
        "done Walk --note sunny --date yesterday", "carillon done Walk --note sunny --on yesterday"
      ),
      ("habit add Run --times 3/week", "carillon habit add Run --goal 3/week"),
      ("habit add Run at 7:00", "carillon habit add Run --at 7:00"),
      ("done Walk on friday", "carillon done Walk --on friday"),
      ("entries Walk", "carillon entry list Walk"),
      ("done Water --count 2", "carillon done Water --amount 2"),
      ("done Walk --comment sunny", "carillon done Walk --note sunny"),
      ("snooze Walk --time 30m", "carillon snooze Walk --for 30m"),
      ("settings quiethours", "carillon settings show quiethours"),
      ("settings quietHours 22-7", "carillon settings set quietHours 22-7"),
      ("done Walk last friday", "carillon done Walk --on 'last friday'"),
      ("habit add Read 20 pages", "carillon habit add 'Read 20 pages'"),
      (
        "habit add Run every other day 7am",
        "carillon habit add Run --every 'every other day' --at 7am"
      ),
    ])
  func meant(command: String, likely: String) async throws {
    let bench = try await Workbench.withStore()
    for title in ["Walk", "Water"] { _ = try await bench.addHabit(title, "--at", "7:00") }
    let before = try await bench.log()
    let refused = try await bench.start(command.split(separator: " ").map(String.init)).answer()
    #expect(refused.status != 0 && refused.output.isEmpty, "\(refused)")
    let hint = try #require(
      refused.errors.firstMatch(of: /hint: did you mean: (.*?)(?: --now .*)?\n/))
    #expect(hint.1 == likely, "\(refused)")
    #expect(try await bench.log() == before)
  }

  @Test("The suggested command names the store, quotes what needs it, and works when pasted")
  func pasted() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("It's late")
    let store = bench.path("phone")
    let refused = try await bench.startPlain(
      ["done", "It's late", "yesterday", "--store", store], store: nil
    ).answer()
    let hint = try #require(refused.errors.firstMatch(of: /hint: did you mean: carillon (.*)\n/))
    let pasted = try await bench.startShell("\"$CARILLON\" \(hint.1)", store: "none").answer()
    #expect(pasted.output.hasPrefix("Done: It's late on "), "\(refused) \(pasted)")
  }

  @Test("Words that fit no option, and titles that look like a date, have no such hint")
  func none() async throws {
    let bench = try await Workbench.withStore()
    for title in ["Walk", "Today"] { _ = try await bench.addHabit(title) }
    #expect(try await bench.run("done", "walk", "today").status == 0)
    for command in [["done", "Walk", "slowly"], ["snooze", "walk", "soon"], ["nosuch"], ["done"]] {
      let refused = try await bench.start(command).answer()
      #expect(refused.status != 0 && !refused.errors.contains("did you mean:"), "\(refused)")
    }
  }

  @Test(
    "A value that another option or unit fits is refused with that one",
    arguments: [
      (["habit", "add", "Pill", "--every", "8h"], "for hours and minutes give --interval 8h"),
      (["habit", "add", "Bins", "--every", "monday"], "for weekdays give --on monday"),
      (["habit", "add", "Rent", "--every", "month"], "for months give --rrule"),
      (["snooze", "Walk", "--for", "30"], "for minutes write 30m"),
      (["done", "Walk", "--at", "23:50"], "if it was yesterday, give --on yesterday too"),
    ])
  func otherOption(command: [String], hint: String) async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let refused = try await bench.start(command).answer()
    #expect(refused.status == 64 && refused.errors.contains(hint), "\(refused)")
  }

  @Test("An error with a whole command to try names no other option")
  func oneGuess() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let refused = try await bench.run("done", "Walk", "--date", "yesterday")
    #expect(!refused.errors.contains("Did you mean"), "\(refused)")
    #expect(refused.errors.contains("Unknown option '--date'"), "\(refused)")
  }

  @Test("A title that several habits have is refused with the times of each")
  func sameTitle() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Yoga", "--at", "8:00")
    _ = try await bench.addHabit("Yoga", "--at", "9:00", "--again")
    let refused = try await bench.run("done", "yoga")
    #expect(refused.status != 0, "\(refused)")
    for time in ["Yoga (08:00)", "Yoga (09:00)"] { #expect(refused.errors.contains(time)) }
  }

  @Test("A goal may be written in words")
  func spokenGoal() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Run", "--goal", "3 times a week")
    #expect(try await bench.json("habit", "show", "Run")["goal"]?.text == "3/week")
  }

  @Test(
    "An amount with a comma is refused with its form with a point",
    arguments: [("3,5", "write 3.5"), ("1,000", "write 1.000 or 1000")])
  func comma(amount: String, hint: String) async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Water", "--target", "4")
    let refused = try await bench.run("done", "Water", "--amount", amount)
    #expect(refused.status == 64, "\(refused)")
    #expect(refused.errors.contains("--amount: \"\(amount)\" has a comma; \(hint)\n"), "\(refused)")
  }

  @Test("A device whose name cannot be pasted is taken into use again by its ID")
  func unusualName() async throws {
    let bench = try await Workbench.withStore()
    let cloned = try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica=--old\u{7}")
    #expect(cloned.status == 0, "\(cloned)")
    let replicas = try await bench.json("replicas", store: "watch")["replicas"]?.list ?? []
    let id = try #require(replicas.first { $0["name"]?.text != "phone" }?["replica"]?.text)
    let retired = try await bench.run("replicas", "retire", id, store: "watch")
    let command = try #require(
      retired.output.firstMatch(of: /carillon (replicas retire --undo [A-Za-z0-9-]+)/))
    let pasted = try await bench.startShell("\"$CARILLON\" \(command.1)", store: "watch").answer()
    #expect(pasted.status == 0 && pasted.output.contains("in use again"), "\(retired) \(pasted)")
  }
}
