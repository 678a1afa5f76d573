import CarillonDocuments
import Testing

@testable import CarillonCLI

struct ArgumentOrderTests {
  private static let verbs = [
    ArgumentOrder.Verb(name: "status", verbs: []),
    ArgumentOrder.Verb(name: "habit", verbs: [ArgumentOrder.Verb(name: "list", verbs: [])]),
  ]

  @Test(
    "Global options move after the verb's words, and nothing else moves",
    arguments: [
      ("status", "status"), ("--json status", "status --json"),
      ("--store a habit --quiet list x", "habit list --store a --quiet x"),
      ("--store=a --now b status --zone c", "status --store=a --now b --zone c"),
      ("status x --json", "status x --json"), ("--json --help", "--help"),
      ("--nosuch status", "--nosuch status"), ("status --store", "status --store"),
      ("status --limit -1", "status --limit=-1"), ("status --limit -x", "status --limit -x"),
      ("status --limit=2 -1", "status --limit=2 -1"), ("status -- --a -1", "status -- --a -1"),
      ("", ""), ("help", "--help"), ("help habit list", "habit list --help"),
      ("habit help list", "habit list --help"), ("--json help --store a habit", "habit --help"),
      ("help status -x", "status -x --help"), ("status help", "status help"),
    ])
  func order(given: String, expected: String) {
    let words = given.split(separator: " ").map(String.init)
    let order = ArgumentOrder(words, verbs: Self.verbs)
    #expect(order.arguments.joined(separator: " ") == expected)
  }

  @Test(
    "A word that is no verb is distinguished from arguments and options",
    arguments: [
      ("nosuch --now x", "nosuch"), ("--json nosuch", "nosuch"), ("habit nosuch", "nosuch"),
      ("status x", nil), ("--help", nil), ("help status", nil), ("help nosuch", "nosuch"),
      ("help habit nosuch", "nosuch"), ("help habit list", nil), ("help", nil),
      ("habit --help", nil), ("", nil), ("help status x", "x"), ("habit help nosuch", "nosuch"),
      ("habit help", nil), ("habit list help", nil), ("help status -x", nil),
    ])
  func unknownVerb(given: String, expected: String?) {
    let words = given.split(separator: " ").map(String.init)
    #expect(ArgumentOrder(words, verbs: Self.verbs).unknownVerb?.word == expected)
  }

  @Test(
    "An unknown verb is answered with a verb of a similar name",
    arguments: [
      ("stat", "status"), ("statsu", "status"), ("sattus", "status"), ("staus", "status"),
      ("habti", "habit"), ("habit lst", "list"), ("help habit lsit", "list"), ("x", nil),
      ("replicas", nil), (String(repeating: "s", count: 100_000), nil),
    ])
  func nearVerb(given: String, expected: String?) {
    let words = given.split(separator: " ").map(String.init)
    #expect(ArgumentOrder(words, verbs: Self.verbs).unknownVerb?.near == expected)
  }

  @Test("--json requests JSON only before a double dash")
  func asksForJSON() {
    #expect(ArgumentOrder.asksForJSON(["nosuch", "--json"]))
    #expect(!ArgumentOrder.asksForJSON(["habit", "add", "--", "--json"]))
  }

  @Test(
    "A call with only global options needs no parser",
    arguments: [
      ("", "nil nil nil false false"), ("--json", "nil nil nil true false"),
      ("--store a --now b --zone c --json --quiet", "a b c true true"),
      ("--quiet --zone c --store a", "a nil c false true"),
    ])
  func globalsAlone(given: String, expected: String) throws {
    let words = given.split(separator: " ").map(String.init)
    let global = try #require(GlobalValues(alone: words[...]))
    let texts = [global.store, global.now?.text, global.zone?.text].map { $0 ?? "nil" }
    #expect("\(texts.joined(separator: " ")) \(global.json) \(global.quiet)" == expected)
  }

  @Test(
    "Anything but a global option given once with its value is left to the parser",
    arguments: [
      "--limit 3", "x", "--store", "--store --json", "--now -1", "--json --json", "--help", "--",
      "--store a --store b", "--store=a", "-j", "--zon c",
    ])
  func leftToParser(given: String) {
    let words = given.split(separator: " ").map(String.init)
    #expect(GlobalValues(alone: words[...])?.json == nil)
  }

  @Test(
    "Short verbs run without the parser if all their options are global ones",
    arguments: [
      ("pending", true), ("--json pending --store a", true), ("pending --limit 3", false),
      ("pending x", false), ("habit show walk", true), ("habit show walk --quiet", true),
      ("habit show", false), ("habit show walk run", false), ("habit show --help", false),
      ("habit show -- walk", false), ("", false), ("status --json", true),
      ("status --digest", false), ("today", true), ("habit list", true),
      ("habit list --all", false), ("done walk", true), ("done walk run --json", true),
      ("done", false),
      ("done walk --on mon", false), ("done walk --amount 2", false), ("undo walk run", true),
      ("undo", false), ("undo walk --all", false), ("undo walk --on mon", false),
      ("habit add walk", false), ("sync x", false), ("explain walk", true), ("explain", false),
      ("explain walk run", false), ("explain walk --on mon", false), ("receipts", true),
      ("receipts list --json", true), ("receipts list --limit 3", false),
      ("receipts list x", false), ("receipts erase x", false),
    ])
  func plainVerbs(given: String, isPlain: Bool) {
    let words = given.split(separator: " ").map(String.init)
    #expect((PlainVerb(words) != nil) == isPlain)
  }
}
