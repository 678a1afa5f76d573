import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Foundation

@testable import Carillon

extension FuzzTarget {
  static let backupTargets = [
    FuzzTarget(
      name: "backup-block", maxByteCount: 4_096, seeds: Backups.blockSeeds, run: Backups.readBlock),
    FuzzTarget(
      name: "backup-manifest", maxByteCount: 4_096, seeds: Backups.manifestSeeds,
      run: Backups.readManifest),
    FuzzTarget(
      name: "backup-archive", maxByteCount: 16_384, seeds: Backups.archiveSeeds,
      run: Backups.readArchive),
  ]
}

/// The files of a backup.
private enum Backups {
  private static let directory = Result { try TemporaryDirectory() }

  /// Bytes to the runs of a block: a written block reads back equal.
  static func readBlock(_ bytes: UnsafeRawBufferPointer) throws {
    guard let runs = try? BackupBlock.decode([UInt8](bytes)) else { return }
    // The first 4 bytes are the number of the others.
    let block = try BackupBlock.encode(runs).dropFirst(4)
    hold(try BackupBlock.decode(Array(block)) == runs, "a block reads back equal")
  }

  /// The first line of a manifest, with the checksum that it needs: a written manifest reads back
  /// equal.
  static func readManifest(_ bytes: UnsafeRawBufferPointer) throws {
    let line = [UInt8](bytes)
    let end = UInt8(ascii: "\n")
    let json = line + [end] + BackupManifest.checksumLine(of: line[...]) + [end]
    guard let manifest = try? BackupManifest(json: json, in: "b") else { return }
    hold(
      try BackupManifest(json: manifest.json, in: "b") == manifest,
      "a manifest reads back equal: \(manifest)")
  }

  /// An archive: its members lie within it, and its backup is verified or refused.
  static func readArchive(_ bytes: UnsafeRawBufferPointer) throws {
    let url = try directory.get().url.appending(path: "backup.tar")
    try Data(bytes).write(to: url)
    guard let members = try? TarArchive.members(of: FileSlice(path: url.path)) else { return }
    hold(
      members.values.allSatisfy { $0.lowerBound >= 512 && $0.upperBound <= Int64(bytes.count) },
      "members lie within the archive: \(members)")
    try waiting {
      do {
        try await Store.verifyBackup(at: url)
      } catch let error as StoreError {
        hold([.corrupt, .notFound].contains(error.code), "a damaged backup is corrupt: \(error)")
      }
    }
  }

  // MARK: - Seeds

  /// The files of a small backup with an increment, by name, and its archive.
  private static let files = Result {
    try waiting {
      let place = try TemporaryDirectory()
      let clock = ManualClock("2026-11-23T08:00:00Z")
      var options = StoreOptions()
      options.clock = { clock.now }
      let store = try await Store.create(
        at: place.url.appending(path: "store"), replica: "phone", storage: .sqlite,
        options: options)
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      let backup = place.url.appending(path: "backup")
      _ = try await store.backUp(to: backup)
      try await store.markDone(walk.id)
      _ = try await store.backUp(to: backup, isIncremental: true)
      let archive = place.url.appending(path: "backup.tar")
      _ = try await store.backUp(to: archive)
      await store.close()
      var files = ["archive": try [UInt8](Data(contentsOf: archive))]
      for name in try FileManager.default.contentsOfDirectory(atPath: backup.path) {
        files[name] = try [UInt8](Data(contentsOf: backup.appending(path: name)))
      }
      return withExtendedLifetime(place) { files }
    }
  }

  static func blockSeeds() throws -> [[UInt8]] {
    // Each file of the backup is one block.
    try files.get().filter { $0.key.hasPrefix("events-") }.sorted { $0.key < $1.key }.map {
      Array($0.value.dropFirst(4))
    }
  }

  static func manifestSeeds() throws -> [[UInt8]] {
    let manifest = try files.get()["manifest.json"] ?? []
    return [Array(manifest.prefix { $0 != UInt8(ascii: "\n") })]
  }

  static func archiveSeeds() throws -> [[UInt8]] { [try files.get()["archive"] ?? []] }
}
