import Foundation

/// `carillon-bench VERB ARGUMENT...`: runs one benchmark and prints its `Measurement`.
@main
struct BenchCommand {
  typealias Verb = @Sendable (Arguments) async throws -> Measurement

  static let verbs: [String: Verb] = [
    "append": LogVerbs.append, "callers": LogVerbs.callers, "bytes": LogVerbs.bytes,
    "scan": LogVerbs.scan, "decode": LogVerbs.decode, "visit": LogVerbs.visit,
    "generate": StoreVerbs.generate, "person": Persons.generate, "rebuild": StoreVerbs.rebuild,
    "one-event": StoreVerbs.oneEvent,
    "verify-full": StoreVerbs.verifyFully, "hash": StoreVerbs.hash,
    "stores": ManyStores.run, "relaxed": StoreVerbs.relaxed,
    "sync-equal": StoreVerbs.syncEqual, "sync-news": StoreVerbs.syncNews,
    "sync-table": SyncTable.run, "cold-sync-bytes": SyncTable.coldSync,
    "cold-facts-bytes": SyncTable.coldFacts,
    "cold-sync": StoreVerbs.coldSync,
    "import": ImportVerbs.loop,
    "facts": PeerVerbs.facts, "fold": PeerVerbs.fold,
    "plan": PlanVerbs.plan, "plan-by-sorting": PlanVerbs.planBySorting,
  ]

  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    if words.first == "simulate" { return await simulate(Arguments(words.dropFirst())) }
    guard let verb = words.first.flatMap({ verbs[$0] }) else {
      fail("usage: carillon-bench VERB ARGUMENT...; verbs: \(verbs.keys.sorted())", code: 64)
    }
    do {
      print(try await verb(Arguments(words.dropFirst())).json)
    } catch {
      fail("\(error)", code: 70)
    }
  }

  /// Not a measurement: the verb reports its progress, and exits with 1 after a failure.
  private static func simulate(_ arguments: Arguments) async {
    do {
      try await SimulateVerb.run(arguments)
    } catch {
      fail("\(error)", code: 1)
    }
  }

  private static func fail(_ message: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data("carillon-bench: \(message)\n".utf8))
    exit(code)
  }
}

/// The words after the verb, in order.
struct Arguments {
  private let words: [String]

  init(_ words: some Sequence<String>) {
    self.words = Array(words)
  }

  var count: Int { words.count }

  /// Returns the argument at an index as text.
  func text(_ index: Int) throws -> String {
    guard words.indices.contains(index) else { throw UsageError(index: index, kind: "text") }
    return words[index]
  }

  func number(_ index: Int) throws -> Int {
    guard let number = Int(try text(index)) else { throw UsageError(index: index, kind: "number") }
    return number
  }

  func directory(_ index: Int) throws -> URL {
    URL(filePath: try text(index), directoryHint: .isDirectory)
  }
}

/// The error for an argument that is missing or invalid.
struct UsageError: Error {
  let index: Int
  let kind: String
}
