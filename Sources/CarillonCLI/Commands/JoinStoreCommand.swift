import ArgumentParser
import Carillon
import Foundation

/// `carillon join-store`: two stores that were unrelated become one.
struct JoinStoreCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "join-store",
    abstract: "Unite two stores that were unrelated; the first one's id wins.",
    discussion: """
      The second becomes a replica of the first, and both hold the events of both. There is no \
      way back: copy the directories before. Nobody may have the second one open. Other replicas \
      of the second store are joined in the same way. After a cut, run it again.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The directory of the store whose id stays.", completion: .directory)
  var a: String
  @Argument(help: "The directory of the store that joins it.", completion: .directory)
  var b: String

  func run(_ call: Call) async throws {
    let (first, second) = (try Self.directory(a), try Self.directory(b))
    let bar = ProgressBar("joining", isQuiet: call.output.isQuiet)
    defer { bar.finish() }
    try await call.withStore(at: first) { store in
      let (wasOther, report) = try await call.naming(second) {
        try await store.join(second) { bar.update($0) }
      }
      bar.finish()
      for warning in report.warnings { call.output.warn(warning) }
      let answer: JSON = [
        "store": .text(store.id.description), "joined": .bool(wasOther), "sync": report.json,
      ]
      try call.output.answer(answer, recorded: true) {
        guard !call.output.isQuiet else { return "" }
        return
          (wasOther ? "\(second.path.printable) joined" : "\(second.path.printable) was already of")
          + " store \(store.id).\n" + report.text
      }
      if let problem = report.problem(hint: SyncCommand.repairHint) { throw problem }
    }
  }

  private static func directory(_ text: String) throws(CommandFailure) -> URL {
    guard !text.contains("://") else {
      throw .usage(
        "\(text): only directories of this computer can be joined",
        hint: "clone that store here, join with the clone, then sync the clone with it")
    }
    return URL(filePath: text, directoryHint: .isDirectory)
  }
}
