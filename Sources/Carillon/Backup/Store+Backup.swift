import CarillonLog
public import CarillonModel
public import Foundation

extension Store {
  /// Backs up all events to a directory or a tar archive, while others may write.
  ///
  /// The backup is one consistent state of the log. It is written to new files, made durable, and
  /// read again completely before this returns. Only the owner can read the files. A backup keeps
  /// erased content that was in the log when its files were made; make a new full backup to
  /// remove it.
  ///
  /// - Parameters:
  ///   - url: A directory, which is created if it is missing; or a new file whose name ends in
  ///     `.tar`.
  ///   - isIncremental: Whether to add a file with the events that the backup in the directory
  ///     lacks. The first backup in a directory is full.
  ///   - progress: Called with the number of events written and verified, and the number to do.
  /// - Throws: `alreadyExists` if there is a backup and `isIncremental` is false, or if the
  ///   directory lies in the store's; `otherStore`; `busy` if another process backs up to the same
  ///   directory; `corrupt` if the existing backup is damaged; `full`, `readOnly`, `io`. Nothing
  ///   is changed then.
  /// - Complexity: O(bytes). Memory is flat.
  @discardableResult
  public func backUp(
    to url: URL, isIncremental: Bool = false,
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws(StoreError) -> BackupReport {
    try await StoreError.translating {
      guard !url.lies(below: self.directory) else {
        throw StoreError(
          code: .alreadyExists,
          message: "\(url.path) lies in the directory of the store, \(self.directory.path)",
          hint: "choose a place outside it")
      }
      guard url.pathExtension == "tar" else {
        return try await BackupDirectory(url.path).add(self, isIncremental, progress)
      }
      guard !isIncremental else {
        throw StoreError(
          code: .invalidValue, message: "\(url.path): an archive takes no increments",
          hint: "give a directory, or make another archive, with all events")
      }
      return try await self.archive(to: url, progress)
    }
  }

  /// Reads a whole backup and verifies every file, every event's ID and the heads.
  ///
  /// Changes nothing, and needs no store.
  ///
  /// If an increment is damaged and the files before it reach `moment`, the report is about them.
  ///
  /// - Parameters:
  ///   - url: The directory or the tar archive.
  ///   - moment: The time after which events are not counted, by their writers' clocks; nil for
  ///     none.
  ///   - progress: Called with the number of events verified and the number to verify.
  /// - Throws: `invalidValue` if all events are later than `moment`; `notFound` if there is no
  ///   backup; `corrupt`, naming the file and the byte; `readOnly`, `io`.
  /// - Complexity: O(bytes). Memory is flat.
  @discardableResult
  public static func verifyBackup(
    at url: URL, until moment: Instant? = nil,
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws(StoreError) -> BackupReport {
    try await StoreError.translating {
      var reader = try BackupReader(BackupPlace(url))
      return try await reader.verify(until: moment, progress)
    }
  }

  /// Backs up to a temporary directory, and makes an archive of it.
  private func archive(
    to url: URL, _ progress: @escaping @Sendable (RebuildProgress) -> Void
  ) async throws -> BackupReport {
    let directory = url.deletingLastPathComponent()
    try await ArchivePart.removeLeftovers(in: directory)
    guard !FileManager.default.fileExists(atPath: url.path) else {
      throw StoreError(
        code: .alreadyExists, message: "\(url.path) already exists",
        hint: "give the archive another name, since one is never changed")
    }
    let temporary = try await ArchivePart(in: directory, within: options.busyTimeout)
    let report: BackupReport
    do {
      report = try await archive(to: url, through: temporary.files, progress)
    } catch {
      // The first error tells more than one about the directory.
      try? temporary.remove()
      throw error
    }
    try temporary.remove()
    return report
  }

  /// Makes an archive that gets its name once it is complete and verified.
  private func archive(
    to url: URL, through temporary: URL, _ progress: @escaping @Sendable (RebuildProgress) -> Void
  ) async throws -> BackupReport {
    let written = try await BackupDirectory(temporary.path).add(
      self, false, isVerified: false, progress)
    let place = try BackupPlace(temporary)
    let archive = try NewFile(at: temporary.path + "/archive.tar")
    for name in [BackupManifest.name(at: 0), BackupManifest.fileName] {
      guard let file = try place.open(name) else {
        throw StoreError(
          code: .io, message: "\(place.path)/\(name) was removed while the archive was written")
      }
      try TarArchive.append(file, named: name, to: archive)
    }
    try TarArchive.end(archive)
    var reader = try BackupReader(BackupPlace(URL(filePath: archive.path)))
    let report = try await reader.verify(after: written.eventCount, progress)
    try archive.finish(as: url.path)
    return report
  }
}
