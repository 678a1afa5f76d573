import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon backup`: writes all events to a directory or an archive, and verifies it.
struct BackupCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Back up all events, and verify the backup.",
    discussion: """
      Other processes may write meanwhile: the backup is one consistent state. It is complete and \
      verified when the command returns. Only its owner can read it.

      With --incremental, the command adds a file with the events that the backup lacks; the \
      first one in a directory is full.

      The keys of a sealed store are not in its backup: the recovery phrase opens it.

      A new file whose name ends in .tar, also without --to, becomes an archive. It takes no \
      increments, and an existing one is never changed.

      A backup keeps what is erased later. To remove that too, make a new backup, and delete the \
      old one.

      Exits with 1 if the content of events is damaged, so that the backup has only their IDs.

      Examples:
        carillon backup ~/backups/carillon
        carillon backup ~/backups/carillon --incremental
        carillon backup --to habits.tar
        carillon backup --check ~/backups/carillon
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The directory of the backup, or a new .tar file.", completion: .file())
  var directory: String?
  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("Write a new tar archive instead.", valueName: "file.tar"),
    completion: .file())
  var archive: String?
  @Flag(help: "Add only the events that the backup in the directory lacks.")
  var incremental = false
  @Flag(help: "Verify an existing directory or archive; needs no store.") var check = false

  func run(_ call: Call) async throws {
    let url = try place()
    let bar = ProgressBar(check ? "checking" : "backing up", isQuiet: call.output.isQuiet)
    defer { bar.finish() }
    let report: BackupReport
    do {
      report =
        try await check
        ? Store.verifyBackup(at: url) { bar.update($0) } : backUp(to: url, call, bar)
    } catch let error as StoreError {
      let damaged = CommandFailure(
        damaged: error, in: url.relativePath,
        advice: check ? "" : "back up to another directory; or ", call.output.time)
      throw damaged ?? error
    }
    bar.finish()
    try call.output.answer(report.json.merging(["backup": .text(url.path)])) {
      if check { return "The backup is intact: \(report.summary(call.output.time)).\n" }
      guard !call.output.isQuiet else { return "" }
      return "Backed up \(report.addedEventCount.counted("event")) to \(url.path.printable). "
        + "Verified: \(report.summary(call.output.time)).\n"
    }
    try report.requireContents(call.output)
  }

  private func backUp(
    to url: URL, _ call: Call, _ bar: ProgressBar
  ) async throws -> BackupReport {
    // One that exists is changed, and not created.
    let isThere = FileManager.default.fileExists(atPath: url.path)
    return try await call.withStore(mayLackKeys: true) { store in
      func backUp() async throws -> BackupReport {
        try await store.backUp(to: url, isIncremental: incremental) { bar.update($0) }
      }
      return try await isThere ? backUp() : creating(at: url) { try await backUp() }
    }
  }

  private func place() throws(CommandFailure) -> URL {
    guard let path = directory ?? archive, directory == nil || archive == nil else {
      throw .usage("backup needs a directory, or --to FILE.tar", hint: "give one of them")
    }
    guard !check || !incremental else {
      throw .usage("--check and --incremental cannot be used together", hint: "give one of them")
    }
    guard !path.isEmpty else {
      throw .usage("the place of the backup is empty", hint: "give a path")
    }
    guard archive == nil || check || URL(filePath: path).pathExtension == "tar" else {
      throw .usage("--to: \"\(path)\" does not end in .tar", hint: "give a name such as habits.tar")
    }
    let url = URL(filePath: path)
    var isDirectory: ObjCBool = true
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    // The store refuses an archive that exists, and increments of one.
    guard check || url.pathExtension == "tar" || !isThere || isDirectory.boolValue else {
      throw CommandFailure(
        status: .cannotCreate, code: StoreError.Code.alreadyExists.rawValue,
        message: "\(path) is a file, not a directory",
        hint: "give a directory; or to write an archive, a new name that ends in .tar")
    }
    return url
  }
}

extension BackupReport {
  /// `1,234 events in 2 files, 56,789 bytes, as of Mon 23 Nov 17:00`.
  fileprivate func summary(_ time: LocalTime) -> String {
    "\(eventCount.counted("event")) in \(fileCount.counted("file")), \(byteCount.grouped) bytes, "
      + "as of \(time.text(madeAt))"
  }

  /// Warns about events without content.
  ///
  /// - Throws: Exit code 1 if there are any.
  func requireContents(_ output: Output) throws {
    guard missingContentCount > 0 else { return }
    output.warn(
      "the content of \(missingContentCount.counted("event")) is damaged or missing in the backup; "
        + "repair the store it was made from, \(output.carillon) sync PEER --audit, and make a new "
        + "backup")
    throw ExitCode(ExitStatus.no.rawValue)
  }

  /// The report as JSON.
  var json: JSON {
    [
      "store": .text(store.description), "events": .integer(eventCount),
      "added": .integer(addedEventCount), "files": .integer(fileCount),
      "bytes": .integer(byteCount), "missing": .integer(missingContentCount),
      "madeAt": .text(madeAt.rfc3339()), "damage": .text(damage),
    ]
  }
}
