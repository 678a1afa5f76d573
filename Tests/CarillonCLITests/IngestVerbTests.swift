import CarillonDocuments
import Foundation
import Testing

/// `ingest` and `receive`, run as processes.
struct IngestVerbTests {
  private static let fresh: Shape = .object([
    "result": .text, "seen": .number, "withdrawn": .list(.text), "blocked": .optional(.text),
    "fresh": .list(.object(["id": .text, "item": .text, "revision": .text])),
  ])

  @Test("ingest lists the items that were not alerted yet, in their order")
  func lines() async throws {
    let bench = try await Workbench.withStore()
    let lines = """
      {"id":"b","revision":"1","title":"Two","url":"https://example.org/b","author":"x"}

      {"id":7}
      {"id":"a","unread":false}
      """
    let file = try bench.write(lines, to: "items.ndjson")
    let first = try await bench.json("ingest", "--source", "feed", file)
    Self.fresh.expect(first, "ingest")
    #expect(first["result"]?.text == "newData" && first["blocked"]?.text == "notDetermined")
    #expect(first["fresh"]?.list.compactMap { $0["item"]?.text } == ["b", "7"])
    #expect(first["fresh"]?[0]?["title"]?.text == "Two")
    #expect(first["fresh"]?[1]?["revision"]?.text == "0")
    let again = try await bench.json("ingest", "--source", "feed", input: lines)
    #expect(again["result"]?.text == "noData" && again["fresh"] == .list([]))
    #expect(again["seen"]?.number == 3)
    let before = try await bench.log()
    #expect(try await bench.json("ingest", "--source", "feed", input: "")["seen"]?.number == 0)
    #expect(try await bench.log() == before)
  }

  @Test("Items that arrive before permission are fresh again once it is granted, and then no more")
  func beforePermission() async throws {
    let bench = try await Workbench.withStore()
    let lines = #"{"id":"a"}"# + "\n" + #"{"id":"b"}"#
    let first = try await bench.run("ingest", "--source", "feed", input: lines)
    #expect(first.output.hasPrefix("fresh"), "\(first)")
    #expect(first.output.contains("fresh again once permission is granted"), "\(first)")
    #expect(try await bench.json("ingest", "--source", "feed", input: lines)["seen"]?.number == 2)
    let later = "2026-11-23T12:01:00+01:00"
    try await bench.run("permission", "grant", now: later)
    try await bench.run("alerts", "on", now: later)
    let granted = try await bench.json("ingest", "--source", "feed", input: lines, now: later)
    #expect(granted["fresh"]?.list.compactMap { $0["item"]?.text } == ["a", "b"])
    let again = try await bench.json("ingest", "--source", "feed", input: lines, now: later)
    #expect(again["fresh"] == .list([]) && again["seen"]?.number == 2)
  }

  @Test("Two processes ingest one file at once: each item is fresh in exactly one")
  func twoProcesses() async throws {
    let bench = try await Workbench.withStore()
    for round in 0..<4 {
      let lines = (0..<400).map { #"{"id":"\#(round)-\#($0)"}"# }.joined(separator: "\n")
      let file = try bench.write(lines, to: "items.ndjson")
      var children: [Child] = []
      for _ in 0..<3 {
        children.append(try await bench.start(["ingest", "--source", "feed", file, "--json"]))
      }
      var fresh: [String] = []
      var seen = 0
      for child in children {
        let answer = try await child.answer().document()
        fresh += answer["fresh"]?.list.compactMap { $0["item"]?.text } ?? []
        seen += answer["seen"]?.number ?? 0
      }
      #expect(fresh.count == 400 && Set(fresh).count == 400)
      #expect(seen == 800)
    }
    #expect(try await bench.run("verify").status == 0)
  }

  @Test("A failed fetch records no item, but the result of its wake if one is given")
  func failed() async throws {
    let bench = try await Workbench.withStore()
    let bad = #"{"id":"1"}"# + "\n" + #"{"revision":"1"}"# + "\n"
    let before = try await bench.log()
    let plain = try await bench.run("ingest", "--source", "feed", input: bad)
    #expect(plain.status == 65 && plain.output.isEmpty)
    #expect(plain.errors.contains("standard input line 2: id: is missing"))
    #expect(try await bench.log() == before)
    let woken = try await bench.start(
      ["ingest", "--source", "feed", "--wake", "fetch", "--json"], input: bad
    ).answer()
    #expect(woken.status == 65)
    #expect(try Document(json: woken.output)["result"]?.text == "failed")
    #expect(try Document(json: woken.errors)["error"]?["code"]?.text == "invalidValue")
    let last = try await bench.log().split(separator: "\n").last.map(String.init)
    #expect(last?.contains(#""type":"wake.finished","reason":"fetch","result":"failed""#) == true)
  }

  @Test("On a full disk, the answer is a failed fetch, and no item is recorded")
  func fullDisk() async throws {
    let bench = try await Workbench.withStore()
    let title = String(repeating: "Build ", count: 33)
    let items = try bench.write(
      (0..<900).map { #"{"id":"\#($0)","title":"\#(title)"}"# }.joined(separator: "\n"),
      to: "items.ndjson")
    // Blocks of 512 bytes: no more than the files have, so that not even the wake can be
    // recorded; then a few more. The output goes through pipes, which have no limit.
    for blocks in [0, 256] {
      let answer = try await bench.startShell(
        """
        { ( ulimit -f \(blocks)
            "$CARILLON" ingest --source feed --wake fetch --json "$ITEMS"
            echo $? >&2
          ) 2>&3 | cat; } 3>&1 >"$TMPDIR/answer" | cat >&2
        """, with: ["ITEMS": items]
      ).answer()
      let reported = try String(contentsOf: bench.url("answer"), encoding: .utf8)
      let answered = try Document(json: reported)
      #expect(answered["result"]?.text == "failed" && answered["fresh"] == .list([]), "\(reported)")
      let lines = answer.errors.split(separator: "\n").map(String.init)
      try #require(lines.count == 2, "\(answer)")
      #expect(try Document(json: lines[0])["error"]?["hint"]?.text?.isEmpty == false)
      #expect(lines[1] == "74")
    }
    #expect(try await !bench.log().contains("item.observed"))
    let whole = try await bench.json("ingest", "--source", "feed", items)
    #expect(whole["fresh"]?.list.count == 900 && whole["seen"]?.number == 0)
  }

  @Test("A malformed list of items is refused with the line or index, and nothing is written")
  func refused() async throws {
    let bench = try await Workbench.withStore()
    let before = try await bench.log()
    let many = (0..<100_000).map { #"{"id":"\#($0)"}"# }.joined(separator: "\n")
    let long = String(repeating: "x", count: 257)
    let cases: [(arguments: [String], input: String, says: [String])] = [
      ([], "[]", ["line 1", "not a list", "--format github"]),
      ([], "[\n{\"id\":\"1\"}]", ["line 1", "not valid JSON", "--format github"]),
      ([], many, ["maximum of 1000 items", "in parts", "only the newest 1000"]),
      ([], #"{"id":"\#(long)"}"#, ["line 1", "257 bytes", "256"]),
      ([], #"{"id":"a","unread":1}"#, ["line 1", "unread", "true or false"]),
      (["--format", "github"], "{}", ["a JSON list", "an object"]),
      (["--format", "github"], #"[{"id":"1","updated_at":"x"},{"id":""}]"#, ["item 1", "id"]),
      (["--format", "github"], "[", ["not valid JSON"]),
      (["--format", "atom"], "", ["--format", "atom", "github"]),
      (["--wake", "dream"], "", ["--wake", "fetch or push"]),
    ]
    for item in cases {
      let answer = try await bench.start(
        ["ingest", "--source", "feed"] + item.arguments, input: item.input
      ).answer()
      let status: Int32 = ["atom", "dream"].contains(item.arguments.last) ? 64 : 65
      #expect(answer.status == status && answer.output.isEmpty, "\(item.arguments) \(answer)")
      for text in item.says { #expect(answer.errors.contains(text), "\(answer)") }
    }
    let bytes = bench.path("bytes")
    try Data([0x5B, 0x7B, 0x22, 0xFF, 0x22]).write(to: bench.url("bytes"))
    let binary = try await bench.run("ingest", "--source", "feed", "--format", "github", bytes)
    #expect(binary.status == 65 && binary.errors.contains("not UTF-8"), "\(binary)")
    #expect(try await bench.run("ingest", "--source", "feed", "none").status == 66)
    #expect(try await bench.run("ingest", input: "").status == 64)
    #expect(try await bench.log() == before)
  }

  @Test("A payload is recorded once, replaced by its collapse ID, and kept if it is malformed")
  func receive() async throws {
    let bench = try await Workbench.withStore()
    let alert = try bench.write(
      #"{"aps":{"alert":{"title":"Sale"},"badge":1},"price":"10"}"#, to: "alert.json")
    let first = try await bench.json("receive", alert, "--collapse-id", "sale")
    #expect(first["push"]?.text == "sale" && first["kind"]?.text == "alert")
    #expect(first["badge"]?.number == 1 && first["title"]?.text == "Sale")
    #expect(first["custom"] == .object(["price": .text("10")]))
    #expect(first["replaced"] == .bool(false) && first["blocked"]?.text == "notDetermined")
    let again = try await bench.json("receive", alert, "--collapse-id", "sale")
    #expect(again["repeated"] == .bool(true) && again["events"] == .list([]))
    let reported = try await bench.run("receive", alert, "--collapse-id", "sale").output
    #expect(reported.contains("Already received"), "\(reported)")
    #expect(reported.contains("A payload with a new carillon-id is new"), "\(reported)")
    for id in ["drink-1", "drink-2", "drink-1"] {
      let drink = try await bench.json(
        "receive", "-", input: #"{"aps":{"alert":"Drink"},"carillon-id":"\#(id)"}"#)
      #expect(drink["push"]?.text == id)
    }
    #expect(try await bench.run("help", "receive").output.contains(#""carillon-id":"drink-"#))
    let next = try await bench.json(
      "receive", "-", "--collapse-id", "sale", input: #"{"aps":{"alert":"Over","badge":0}}"#)
    #expect(next["replaced"] == .bool(true) && next["badge"]?.number == 0)
    let malformed = try await bench.json("receive", "-", input: "secret,")
    #expect(malformed["kind"]?.text == "malformed" && malformed["problem"]?.text != nil)
    let log = try await bench.run("log").output
    #expect(log.contains("sale alert") && !log.contains("secret") && !log.contains("Sale"))
    let before = try await bench.log()
    let large = try await bench.run(
      "receive", "-", input: String(repeating: " ", count: 4_097))
    #expect(large.status == 65 && large.errors.contains("more than the maximum of 4096"))
    let long = String(repeating: "x", count: 65)
    #expect(try await bench.run("receive", alert, "--collapse-id", long).status == 65)
    #expect(try await bench.log() == before)
  }

  @Test("A token is recorded in hexadecimal digits, or the reason why there is none")
  func token() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("permission", "token", "00FFa1", "--environment", "development")
    try await bench.run("permission", "token", "--failed", "no network")
    let log = try await bench.log()
    #expect(log.contains(#""environment":"development","token":"00ffa1""#))
    #expect(log.contains(#""environment":"production","error":"no network""#))
    let shown = try await bench.json("permission")["tokens"]
    #expect(shown?[0]?["environment"]?.text == "development")
    #expect(shown?[0]?["token"]?.text == "00ffa1" && shown?[1]?["error"]?.text == "no network")
    let text = try await bench.run("permission", "show").output
    #expect(text.contains("development 00ffa1") && text.contains("production failed: no network"))
    // The store checks the greatest length.
    let long = String(repeating: "00", count: 1_025)
    for (bad, status) in [("0", Int32(64)), ("xx", 64), ("", 64), (long, 65)] {
      let answer = try await bench.run("permission", "token", bad)
      #expect(answer.status == status, "\(answer)")
    }
    for bad in [[], ["00", "--failed", "x"]] {
      #expect(try await bench.start(["permission", "token"] + bad).answer().status == 64)
    }
    #expect(try await bench.log() == log)
  }
}
