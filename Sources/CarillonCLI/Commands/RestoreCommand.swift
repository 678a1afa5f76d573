import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// `carillon restore`: creates a store from a backup.
struct RestoreCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Create a store from a backup.",
    discussion: """
      The whole backup is verified before anything is created. An existing store is never changed. \
      If an increment is damaged, the error says until when the files before it can be restored.

      The new store continues the backed up device under a new ReplicaID, so the two may sync if \
      the old one still exists.

      Examples:
        carillon restore ~/backups/carillon phone --dry-run
        carillon restore ~/backups/carillon phone
        carillon restore ~/backups/carillon phone --until yesterday
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The directory or the tar archive of the backup.", completion: .file())
  var backup: String
  @Argument(help: "The new or empty directory of the store.", completion: .directory)
  var directory: String
  @Option(
    help: ArgumentHelp(
      "Leave out what was recorded after this time, such as 2026-11-23T17:00, or after this date.",
      valueName: "date|time"))
  var until: Given<EndText>?
  @Option(
    help: ArgumentHelp(
      "The storage of the log: \(Store.Storage.names.joined(separator: " or ")).",
      valueName: "storage"))
  var storage = Given<Store.Storage>(argument: Store.Storage.standard.rawValue)
  @Flag(help: "Verify the backup, and say what would be restored.") var dryRun = false

  func run(_ call: Call) async throws {
    let storage = try storage.value(for: "--storage")
    let moment = try until.value(for: "--until")?.resolved(call.output.time)
    if let warning = moment?.warning(for: "--until") { call.output.warn(warning) }
    guard !backup.isEmpty, !directory.isEmpty else {
      throw CommandFailure.usage("restore needs a backup and a directory", hint: "give both paths")
    }
    let source = URL(filePath: backup)
    let target = URL(filePath: directory, directoryHint: .isDirectory)
    let bar = ProgressBar(dryRun ? "checking" : "restoring", isQuiet: call.output.isQuiet)
    defer { bar.finish() }
    try await creating(at: target) {
      let report = try await reading(call) {
        try await Store.restore(
          source, at: target, until: moment?.instant, isDryRun: dryRun, storage: storage,
          options: call.storeOptions
        ) { bar.update($0) }
      }
      bar.finish()
      guard !dryRun else {
        return try answer(
          report, until: moment, target, needs: report.leastByteCount(on: storage), call)
      }
      let (status, digest): (StoreStatus?, StateDigest?) = try await call.withStore(
        at: target, mayLackKeys: true
      ) { store in
        guard store.hasContents else { return (nil, nil) }
        return (try await store.status(), try await store.stateDigest())
      }
      try answer(report, until: moment, target, status, digest, call)
    }
  }

  /// Calls a function that reads the backup until the time of `--until`.
  ///
  /// - Throws: The errors of `body`; a wrong value of `--until` if all events are later; for a
  ///   damaged increment, the command that restores what is before it.
  private func reading(
    _ call: Call, _ body: () async throws -> BackupReport
  ) async throws -> BackupReport {
    do {
      return try await body()
    } catch let error as StoreError {
      guard case .laterBackup(let first) = error.reason else {
        let damaged = CommandFailure(
          damaged: error, in: backup, restoringTo: directory, call.output.time)
        throw damaged ?? error
      }
      throw CommandFailure.badValue(
        "--until: the first event of the backup is of \(call.output.time.text(first))",
        hint: "give a later time, or leave out --until to restore everything")
    }
  }

  /// - Parameters:
  ///   - status: The status of the new store; nil for a dry run.
  ///   - digest: Its state digest; nil for a dry run.
  ///   - needed: The number of bytes that the store would take, at least; nil if it is there.
  private func answer(
    _ report: BackupReport, until moment: ResolvedMoment?, _ target: URL,
    _ status: StoreStatus? = nil, _ digest: StateDigest? = nil, needs needed: Int64? = nil,
    _ call: Call
  ) throws {
    let free = needed.flatMap { _ in target.freeByteCount }
    let answer: JSON = [
      "dryRun": .bool(dryRun), "directory": .text(target.path),
      "replica": .text(status?.replica.description),
      "stateDigest": .text(digest),
      "leastBytes": needed.map { .integer($0) } ?? .null,
      "freeBytes": free.map { .integer($0) } ?? .null,
    ]
    try call.output.answer(report.json.merging(answer), recorded: !dryRun) {
      let events =
        report.eventCount.counted("event")
        + (moment.map { " until \(call.output.time.text($0.instant))" } ?? "")
      guard !dryRun else {
        let intact = report.damage == nil ? "The backup is" : "The files before that are"
        let room = [
          needed.map { "It takes at least \($0.counted("byte"))" },
          free.map { "\($0.counted("byte")) are free there" },
        ].compactMap(\.self).joined(separator: "; ")
        return "\(intact) intact. Would restore \(events) to \(target.path.printable). \(room).\n"
      }
      guard !call.output.isQuiet else { return "" }
      guard let status else {
        return
          "Restored \(events) to \(target.path.printable). The store is sealed; to read "
          + "it: carillon recover --store \(ShellWord.quoted(directory))\n"
      }
      return "Restored \(events) to \(target.path.printable) as replica "
        + "\(status.name.printable).\n"
    }
    try report.requireContents(call.output)
  }
}
