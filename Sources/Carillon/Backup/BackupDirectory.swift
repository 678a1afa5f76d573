import CarillonLog
import CarillonModel
import Foundation

/// The directory of a backup, to which files are added.
struct BackupDirectory {
  private let path: String

  init(_ path: String) {
    self.path = path
  }

  /// Adds a file with the events of a store that the backup lacks.
  ///
  /// The manifest names the file once it is complete and verified. What a killed run left behind is
  /// replaced.
  ///
  /// - Parameter isVerified: Whether the files are verified; an archive is verified as a whole.
  func add(
    _ store: Store, _ isIncremental: Bool, isVerified: Bool = true,
    _ progress: @Sendable (RebuildProgress) -> Void
  ) async throws -> BackupReport {
    var made = MadeDirectories()
    try made.make(path)
    do {
      let lock = try await DirectoryLock(
        path, within: store.options.busyTimeout, "backing up to")
      defer { lock.release() }
      var manifest = try existing(of: store, isIncremental)
      try removeLeftovers(of: manifest)
      let name = BackupManifest.name(at: manifest.files.count)
      let file = try write(store, name, manifest) { done in
        progress(RebuildProgress(done: done, total: done + UInt64(manifest.eventCount)))
      }
      manifest.files.append(file)
      var report = BackupReport(manifest, eventCount: manifest.eventCount)
      if isVerified {
        do {
          var reader = try BackupReader(BackupPlace(URL(filePath: path)), manifest: manifest)
          report = try await reader.verify(after: file.eventCount, progress)
        } catch {
          unlink("\(path)/\(name)")
          throw error
        }
      }
      // If this throws, the manifest may name the file all the same, so the file stays.
      try replaceManifest(manifest)
      try made.sync()
      return report
    } catch {
      made.remove()
      throw error
    }
  }

  /// Returns the manifest of the backup in the directory, or a new one.
  private func existing(of store: Store, _ isIncremental: Bool) throws -> BackupManifest {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    guard names.contains(BackupManifest.fileName) else {
      guard names.allSatisfy(Self.isOwn) else {
        throw StoreError(
          code: .alreadyExists, message: "\(path) is not an empty directory",
          hint: "give a new or empty directory")
      }
      // An existing directory may be accessible to others.
      guard chmod(path, 0o700) == 0 else { throw LogError.refused(errno, "cannot protect \(path)") }
      return BackupManifest(store: store.id)
    }
    let manifest = try BackupPlace(URL(filePath: path)).manifest()
    guard manifest.store == store.id else {
      throw StoreError(
        code: .otherStore, message: "\(path) is a backup of store \(manifest.store)",
        hint: "give another directory")
    }
    guard isIncremental else {
      throw StoreError(
        code: .alreadyExists, message: "\(path) already has a backup",
        hint: "make an incremental backup, or give another directory")
    }
    return manifest
  }

  private static func isOwn(_ name: String) -> Bool {
    name == BackupManifest.name(at: 0) || name == manifestPart
  }

  /// The manifest while it is written.
  private static let manifestPart = BackupManifest.fileName + ".new"

  /// Removes the files that a killed run left behind.
  private func removeLeftovers(of manifest: BackupManifest) throws {
    for name in [BackupManifest.name(at: manifest.files.count), Self.manifestPart]
    where unlink("\(path)/\(name)") != 0 && errno != ENOENT {
      throw LogError.refused(errno, "cannot remove \(path)/\(name)")
    }
  }

  /// Writes the file of an increment from one consistent state of the log.
  private func write(
    _ store: Store, _ name: String, _ manifest: BackupManifest, _ progress: (UInt64) -> Void
  ) throws -> BackupManifest.File {
    while true {
      let identity = try store.log.identity()
      var writer = try BackupWriter(
        to: NewFile(at: "\(path)/\(name)"), of: store.keptLog,
        after: Array(Set(manifest.files.flatMap(\.heads))))
      var isComplete = true
      try store.keptLog.scan(after: writer.start(in: store.keptLog)) { event in
        isComplete = try writer.add(event)
        if event.position.rawValue.isMultiple(of: 4_096) { progress(UInt64(writer.eventCount)) }
        return isComplete
      }
      // Another replica's sync may have opened a branch meanwhile.
      guard isComplete else { continue }
      return try writer.finish(
        name: name, madeAt: store.options.clock(), replica: identity.device)
    }
  }

  private func replaceManifest(_ manifest: BackupManifest) throws {
    let file = try NewFile(at: "\(path)/\(Self.manifestPart)")
    try file.write(manifest.json)
    try file.finish(replacing: "\(path)/\(BackupManifest.fileName)")
  }
}
