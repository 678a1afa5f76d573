import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon join-store`: merges two unrelated stores into one.
struct JoinStoreCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "join-store",
    abstract: "Merge two unrelated stores into one, which keeps the first one's ID.",
    discussion: """
      The second store becomes a replica of the first, and both then have the events of both. This \
      cannot be undone: back up both directories first. No other process may have the second store \
      open. Join any other replicas of the second store in the same way. If the command is \
      interrupted, run it again.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The directory of the store whose ID is kept.", completion: .directory)
  var a: String
  @Argument(help: "The directory of the store that joins it.", completion: .directory)
  var b: String

  func run(_ call: Call) async throws {
    let (first, second) = (try Self.directory(a), try Self.directory(b))
    let bar = ProgressBar("joining", isQuiet: call.output.isQuiet)
    defer { bar.finish() }
    try await call.withStore(at: first) { store in
      let joined = try await call.naming(second) {
        try await store.join(second) { bar.update($0) }
      }
      bar.finish()
      let report = joined.sync
      for warning in report.warnings { call.output.warn(warning) }
      let answer: JSON = [
        "store": .text(store.id.description), "joined": .bool(joined.wasOther), "sync": report.json,
      ]
      try call.output.answer(answer, recorded: true) {
        guard !call.output.isQuiet else { return "" }
        return
          "\(second.path.printable) "
          + (joined.wasOther
            ? "joined store \(store.id).\n" : "is already part of store \(store.id).\n")
          + report.text
      }
      if let problem = report.problem(hint: SyncCommand.repairHint) { throw problem }
    }
  }

  private static func directory(_ text: String) throws(CommandFailure) -> URL {
    guard !text.contains("://") else {
      throw .usage(
        "\(text): only directories on this computer can be joined",
        hint: "clone that store here, join with the clone, then sync that store with the clone")
    }
    return URL(filePath: text, directoryHint: .isDirectory)
  }
}
