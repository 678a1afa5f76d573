import ArgumentParser
import Carillon

/// `carillon compact`: writes the store's files anew, without what was erased.
struct CompactCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Erase receipts expired, and write the files without what was erased.",
    discussion: """
      Nobody may have the store open meanwhile; else it exits 75. Of a source's receipts and items \
      only those go that are older than all that is kept. Sync first: of a replica that did not, \
      what it recorded before that goes too.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Only count; change nothing.") var dryRun = false

  func run(_ call: Call) async throws {
    let directory = try call.directory()
    let report = try await call.naming(directory) {
      try await Store.compact(at: directory, isDryRun: dryRun, options: call.storeOptions)
    }
    if !dryRun, DesktopQueue(of: directory, call) != nil {
      call.output.warn(try await call.withStore { try await call.forgetErased(in: $0) })
    }
    let answer: JSON = [
      "dryRun": .bool(dryRun), "expiredFacts": .integer(report.expiredCount),
      "erased": .integer(report.payloadCount), "bytesBefore": .integer(report.bytesBefore),
      "bytesAfter": report.bytesAfter.map { .integer($0) } ?? .null,
    ]
    try call.output.answer(answer.merging(report.written.json), recorded: !dryRun) {
      guard !call.output.isQuiet || dryRun else { return "" }
      return text(report)
    }
  }

  private func text(_ report: CompactionReport) -> String {
    let past = "\(report.expiredCount.counted("event")) expired"
    guard let bytesAfter = report.bytesAfter else {
      return "Would erase \(past); the files have \(report.bytesBefore.grouped) bytes.\n"
    }
    return "Erased \(past): \(report.payloadCount.counted("event")) lost what they said. "
      + "The files have \(bytesAfter.grouped) bytes, before \(report.bytesBefore.grouped).\n"
  }
}
