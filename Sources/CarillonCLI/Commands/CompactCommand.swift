import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon compact`: erases expired receipts, and rewrites the store's files without erased data.
struct CompactCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Erase expired receipts, and rewrite the files without erased data.",
    discussion: """
      No other process may have the store open. The command waits 10 seconds for one that has, and \
      then exits with 75.

      The disk needs room for a second copy of the files meanwhile.

      Receipts and items are expired if they are older than all those retained for their source. \
      Sync all replicas first: receipts and items that expired before a replica synced them are \
      erased too.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Count what would be erased, without changing anything.") var dryRun = false

  func run(_ call: Call) async throws {
    let directory = try call.directory()
    let report: CompactionReport
    do {
      report = try await call.naming(directory) {
        try await Store.compact(at: directory, isDryRun: dryRun, options: call.storeOptions)
      }
    } catch let error as StoreError where error.code == .full {
      throw CommandFailure(
        status: ExitStatus(error.code), code: error.code.rawValue, message: error.message,
        hint: try Self.needs(of: directory))
    }
    if !dryRun, report.expiredCount != nil, DesktopQueue(of: directory, call) != nil {
      call.output.warn(try await call.withStore { try await call.forgetErased(in: $0) })
    }
    let answer: JSON = [
      "dryRun": .bool(dryRun), "expiredFacts": report.expiredCount.map { .integer($0) } ?? .null,
      "erased": .integer(report.payloadCount), "bytesBefore": .integer(report.bytesBefore),
      "bytesAfter": report.bytesAfter.map { .integer($0) } ?? .null,
    ]
    try call.output.answer(answer.merging(report.written.json), recorded: !dryRun) {
      guard !call.output.isQuiet || dryRun else { return "" }
      return text(report)
    }
  }

  /// The hint for a full disk.
  private static func needs(of directory: URL) throws -> String {
    let needed = try Store.byteCount(of: directory)
    let free = directory.freeByteCount.map { ", where \($0.counted("byte")) are free" } ?? ""
    return "compact writes a second copy of the files before it removes the first one: up to "
      + "\(needed.counted("byte"))\(free); free space on that disk, then run it again; nothing was "
      + "lost; to keep a copy on another disk: carillon backup DIR"
  }

  private func text(_ report: CompactionReport) -> String {
    let expired = report.expiredCount?.counted("expired event")
    let unknown = "\(Call.lackOfKeys): what has expired is not known. "
    guard let bytesAfter = report.bytesAfter else {
      return (expired.map { "Would erase \($0). " } ?? unknown)
        + "The files have \(report.bytesBefore.grouped) bytes.\n"
    }
    return
      (expired.map {
        "Erased \($0), and removed \(report.payloadCount.counted("payload")) from the log. "
      } ?? unknown)
      + "The files have \(bytesAfter.grouped) bytes; before, they had "
      + "\(report.bytesBefore.grouped).\n"
  }
}
