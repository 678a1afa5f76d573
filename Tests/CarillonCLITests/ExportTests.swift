import Foundation
import Testing

@testable import CarillonCLI
@testable import CarillonDocuments

/// `export`: complete events, and tables for a spreadsheet.
struct ExportTests {
  @Test("A CSV line is quoted by RFC 4180, and no text in it is a formula")
  func line() {
    var line = CSVLine()
    line.add("1.5")
    for text in ["plain", "a,b", "a\"b", "a\nb", "=1+1", "+1", "-1", "@x", "\tx", "a=b", nil] {
      line.add(text: text)
    }
    #expect(
      line.rendered
        == "1.5,plain,\"a,b\",\"a\"\"b\",\"a\nb\",'=1+1,'+1,'-1,'@x,'\tx,a=b,\r\n")
  }

  @Test("No export prints control characters, and escaped events keep their content")
  func obeyed() async throws {
    let bench = try await Workbench.withStore()
    let title = "a\u{9B}2J\u{202E}b\u{85}\u{2028}c"
    _ = try await bench.addHabit(title)
    let events = try await bench.run("export")
    let tables = try await bench.run("export", "--format", "csv", "--table", "habits")
    for answer in [events, tables] {
      #expect(answer.status == 0 && answer.output.utf8.allSatisfy { $0 < 0x7F }, "\(answer)")
    }
    let titles = try events.documents().compactMap { $0["title"]?.text }
    #expect(titles == [title], "\(events)")
  }

  @Test("An export to a directory that does not exist names that directory")
  func noDirectory() async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.run("export", "--to", bench.path("nowhere/events.ndjson"))
    #expect(answer.status == 66, "\(answer)")
    #expect(answer.errors.contains("\(bench.path("nowhere")) does not exist\n"), "\(answer)")
    #expect(answer.errors.contains("hint: give a file in an existing directory"), "\(answer)")
  }

  @Test("The table of habits includes archived and deleted ones, with their fields")
  func habits() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit(
      "=Walk, far", "--at", "17:00", "--unless", "done", "--goal", "3/7d")
    let run = try await bench.addHabit("Run", "--target", "2.5", "--unit", "km")
    try await bench.run("habit", "archive", "Run")
    let answer = try await bench.run("export", "--format", "csv", "--table", "habits")
    #expect(answer.errors.isEmpty)
    #expect(
      answer.output == """
        habit,title,kind,unit,target,direction,goal,group,question,notes,start,end,owner,order,\
        reminders,archived,deleted\r
        \(walk),"'=Walk, far",yesNo,,,atLeast,3/7d,,,,,,phoneFirst,,"daily 17:00, unless done",\
        false,false\r
        \(run),Run,count,km,2.5,atLeast,,,,,,,phoneFirst,,,true,false\r

        """)
  }

  @Test("The table of entries has a line for each entry or mark, without undone ones")
  func entries() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk")
    let drink = try await bench.addHabit("Drink", "--target", "8", "--unit", "glasses")
    for date in ["2026-11-20", "2026-11-21"] { try await bench.run("done", "Walk", "--on", date) }
    try await bench.run("undo", "Walk", "--on", "2026-11-21")
    try await bench.run("skip", "Walk", "--on", "2026-11-22")
    try await bench.run("done", "Drink", "--amount", "2.5")
    let answer = try await bench.run("export", "--format", "csv")
    let lines = answer.output.components(separatedBy: "\r\n").dropLast()
    #expect(lines.first == "date,title,state,value,unit,at,note,habit,entry")
    let cells = lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(
      Set(cells.map { $0.prefix(8).joined(separator: ",") }) == [
        "2026-11-20,Walk,done,1,,2026-11-23T12:00:00+01:00,,\(walk)",
        "2026-11-22,Walk,skip,,,,,\(walk)",
        "2026-11-23,Drink,done,2.5,glasses,2026-11-23T12:00:00+01:00,,\(drink)",
      ])
    #expect(cells.count == 3)
  }

  @Test("The table of receipts has a line for each notification")
  func receipts() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run(
      "ingest", "--source", "feed", input: #"{"id":"a","revision":"=1","title":"One"}"#)
    let items = try await bench.json("ingest", "--source", "feed", input: #"{"id":"b"}"#)
    let key = try #require(items["fresh"]?[0]?["id"]?.text)
    #expect(try await bench.run("receipt", "delivered", key).status == 0)
    let answer = try await bench.run("export", "--format", "csv", "--table", "receipts")
    let lines = answer.output.components(separatedBy: "\r\n").dropLast()
    #expect(lines.first == "at,title,state,nominal,source,revision,replica,key,action,text")
    let listed = try await bench.json("receipts")["receipts"]?.list ?? []
    #expect(lines.count == listed.count + 1 && lines.count > 1)
    let delivered = lines.first { $0.hasSuffix("," + key + ",,") }?.split(
      separator: ",", omittingEmptySubsequences: false)
    #expect(
      delivered.map { [$0[0], $0[2], $0[4], $0[6]] } == [
        "2026-11-23T12:00:00+01:00", "delivered", "feed", "phone",
      ])
  }

  @Test("A table of thousands of entries is complete, in the order of habit and date")
  func large() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk")
    try await bench.run("append", input: bench.entries(of: habit, count: 2_500))
    let lines = try await bench.run("export", "--format", "csv").output
      .components(separatedBy: "\r\n").dropLast().dropFirst()
    #expect(lines.count == 2_500)
    #expect(lines.map { $0.prefix(10) } == lines.map { $0.prefix(10) }.sorted())
    #expect(Set(lines).count == 2_500)
  }

  @Test("Conflicting flags are refused")
  func refusals() async throws {
    let bench = try await Workbench.withStore()
    #expect(try await bench.run("export", "--table", "habits").status == 64)
    #expect(try await bench.run("export", "--format", "csv", "--json").status == 64)
    #expect(try await bench.run("export", "--format", "csv", "--table", "moods").status == 64)
    #expect(try await bench.run("export", "--format", "ics", "--json").status == 64)
    #expect(try await bench.run("export", "--format", "loop").errors.contains("add --to FILE"))
  }

  @Test(
    "An export goes to a new file that only its owner can read, and changes no existing file",
    arguments: ["events", "csv", "ics", "loop"])
  func files(format: String) async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "07:30,17:00", "--unless", "done")
    _ = try await bench.addHabit("Keys", "--place", "52.52,13.405,200m")
    let file = bench.path("out")
    let answer = try await bench.json("export", "--format", format, "--to", file)
    #expect(answer["format"]?.text == format && answer["file"]?.text == file)
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    let contents = try Data(contentsOf: bench.url("out"))
    #expect(!contents.isEmpty)
    let again = try await bench.run("export", "--format", format, "--to", file)
    #expect(again.status == 73 && again.errors.contains("already exists"), "\(again)")
    #expect(try Data(contentsOf: bench.url("out")) == contents)
    let missing = try await bench.run("export", "--format", format, "--to", bench.path("no/out"))
    #expect(
      missing.status == 66 && missing.errors.contains("/no does not exist"), "\(missing)")
    guard format == "ics" || format == "loop" else { return }
    #expect(answer["leftOut"]?.list.isEmpty == false)
    try FileManager.default.removeItem(at: bench.url("out"))
    let told = try await bench.run("export", "--format", format, "--to", file)
    #expect(
      told.output.hasPrefix(format == "ics" ? "Wrote 1 habit and 2 " : "Wrote 2 habits and 1 "),
      "\(told)")
    #expect(told.errors.contains("warning: left out "), "\(told)")
    // The store recognizes its own calendar.
    #expect(
      try await bench.json("import", file)["habits"]?.number == (format == "ics" ? 0 : 2))
  }

  @Test("A habit with several times is one habit after its export as a calendar and its import")
  func calendarAgain() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Pill", "--at", "08:00,23:00")
    let file = bench.path("pill.ics")
    try await bench.run("export", "--format", "ics", "--to", file)
    try await bench.make("other")
    let imported = try await bench.run("import", file, store: "other")
    #expect(imported.status == 0 && imported.errors.isEmpty, "\(imported)")
    #expect(!imported.output.contains("lost or changed"), "\(imported)")
    let habits = try await bench.json("habit", "list", store: "other")["habits"]
    #expect(habits?.list.count == 1 && habits?[0]?["schedules"]?.list.count == 2)
    try await bench.run("habit", "edit", "Pill", "--at", "09:00,23:00")
    let later = bench.path("later.ics")
    try await bench.run("export", "--format", "ics", "--to", later)
    let updated = try await bench.json("import", later, store: "other")
    #expect(updated["updated"]?.number == 1 && updated["habits"]?.number == 0, "\(updated)")
    // The older export changes nothing.
    let older = try await bench.run("import", file, store: "other")
    #expect(older.status == 0, "\(older)")
    #expect(older.errors.contains("Pill is left unchanged, because its last import"), "\(older)")
    let shown = try await bench.run("habit", "show", "Pill", store: "other").output
    #expect(shown.contains("09:00") && !shown.contains("08:00"), "\(shown)")
  }

  @Test("A calendar that is imported where it was exported changes nothing, and the answer says so")
  func ownCalendar() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Pill", "--at", "08:00,23:00")
    let file = bench.path("pill.ics")
    try await bench.run("export", "--format", "ics", "--to", file)
    let imported = try await bench.run("import", file)
    #expect(imported.status == 0 && imported.errors.isEmpty, "\(imported)")
    #expect(imported.output.hasPrefix("All 2 records of pill.ics (ics)"), "\(imported)")
    #expect(imported.output.contains("this store exported, left unchanged: 2."), "\(imported)")
    #expect(try await bench.json("habit", "list")["habits"]?.list.count == 1)
  }

  @Test(
    "An export to another app warns about settings that it leaves out, with the habit",
    arguments: [
      ("ics", "--quiet-hours fire", "warning: left out quiet hours, stops, sounds and other"),
      ("ics", "--stop-after 3", "warning: left out quiet hours, stops, sounds and other"),
      ("ics", "--target 4", "warning: left out targets, units and goals: Pill"),
      ("ics", "--owner watch", "warning: left out which device reminds: Pill"),
      ("loop", "--quiet-hours fire --goal 1/day", "settings of reminders: Pill"),
    ])
  func settings(format: String, flags: String, says: String) async throws {
    let bench = try await Workbench.withStore()
    let added = try await bench.start(
      ["habit", "add", "Pill", "--at", "08:00"] + flags.split(separator: " ").map(String.init)
    ).answer()
    #expect(added.status == 0, "\(added)")
    let answer = try await bench.run("export", "--format", format, "--to", bench.path("out"))
    #expect(answer.status == 0 && answer.errors.contains(says), "\(answer)")
  }

  @Test("All events, exported and imported into an empty store, give the same digest")
  func roundTrip() async throws {
    let bench = try await Workbench.withStore()
    let file = try await bench.backup("loop.db", "--repetitions", "9000", "--habits", "20")
    try await bench.run("import", file, "--format", "loop")
    let events = try bench.write(try await bench.run("export").output, to: "events.ndjson")
    let store = try #require(try await bench.json("status")["store"]?.text)
    try await bench.make("empty", storeID: store)
    try await bench.run("import", events, store: "empty")
    for table in ["habits", "entries"] {
      let mine = try await bench.run("export", "--format", "csv", "--table", table)
      let copy = try await bench.run("export", "--format", "csv", "--table", table, store: "empty")
      #expect(mine.output == copy.output && !mine.output.isEmpty)
    }
    // The empty store wrote one event, about its device. After both have it, they are equal.
    try await bench.run("sync", bench.path("empty"))
    #expect(try await bench.digest() == (try await bench.digest("empty")))
  }
}
