import CarillonLog
@testable import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation

extension FuzzTarget {
  static let lmdbLogTargets = [
    FuzzTarget(name: "lmdb-pages", maxByteCount: 131_072, seeds: LogFiles.seeds, run: Pages.read),
    FuzzTarget(name: "lmdb-log", maxByteCount: 131_072, seeds: LogFiles.seeds, run: LogFiles.use),
  ]
}

/// The pages of a log's data file in memory, read without LMDB.
private enum Pages {
  /// All reads of a log; the only errors are damage and another version.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      guard let pages = try snapshot(of: bytes) else { return }
      try pages.checkTables()
      let snapshot = try LogSnapshot(pages, state: LogState(LogTrees(pages)))
      _ = try snapshot.problems(pages, maxCount: 100)
      try look(into: snapshot)
    } catch let error as LogError {
      hold(
        [.corrupt, .unsupportedFormat].contains(error.code),
        "damage is reported as damage: \(error)")
    }
  }

  /// The contents of a read transaction, if the first two pages are valid.
  ///
  /// These pages are read from a file, and all others from libFuzzer's buffer, so that
  /// AddressSanitizer detects reads beyond it.
  private static func snapshot(of bytes: UnsafeRawBufferPointer) throws -> PageSnapshot? {
    let file = try file.get()
    guard ftruncate(file, 0) == 0, pwrite(file, bytes.baseAddress, bytes.count, 0) == bytes.count
    else { throw POSIXError(.EIO) }
    let pageSize = try MetaCheck(descriptor: file, path: "data.mdb").pageSize()
    guard let base = bytes.baseAddress, let first = MetaPage(of: file, at: 0),
      let second = MetaPage(of: file, at: pageSize)
    else { return nil }
    let newest = first.transaction > second.transaction ? first : second
    let map = PageMap(base: base, pageSize: pageSize, pageCount: newest.lastPage + 1)
    return PageSnapshot(
      transaction: newest.transaction, map: map, mapping: try unused.get(),
      freeList: FreeList(
        tree: try newest.freeList(map), transaction: newest.transaction),
      main: try newest.main(map))
  }

  private static let directory = Result { try TemporaryDirectory() }
  private static let file = Result {
    open(try directory.get().url.appending(path: "data.mdb").path, O_RDWR | O_CREAT, 0o600)
  }

  /// The mapping that a snapshot keeps; the pages are in the input.
  private static let unused = Result {
    let descriptor = open("/dev/zero", O_RDONLY)
    defer { close(descriptor) }
    return try Mapping(descriptor: descriptor, byteCount: 4_096)
  }

  private static func look(into snapshot: LogSnapshot) throws {
    for branch in snapshot.state.branches {
      _ = try snapshot.position(of: branch.headID)
      let sequences = 1...branch.headSequence.rawValue
      _ = try snapshot.visit(sequences, of: Int(branch.index.rawValue)) { _ in true }
    }
    guard snapshot.state.lastPosition > 0 else { return }
    _ = try snapshot.visit(1...snapshot.state.lastPosition) { _ in true }
  }
}

/// A log's data file on disk, opened with LMDB.
private enum LogFiles {
  /// All operations of a log.
  static func use(_ bytes: UnsafeRawBufferPointer) throws {
    let directory = try TemporaryDirectory()
    let file = dataFile(of: directory)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    try waiting {
      let log: LMDBEventLog
      do {
        log = try LMDBEventLog.open(at: directory.url, options: options)
      } catch is LogError {
        return
      }
      await LogUse.all(log)
      await log.close()
    }
  }

  private static var options: LMDBLogOptions {
    var options = LMDBLogOptions(LogUse.options)
    options.initialMapByteCount = 1 << 20
    options.maxMapByteCount = 1 << 24
    return options
  }

  private static func dataFile(of directory: TemporaryDirectory) -> URL {
    directory.url.appending(path: "log/data.mdb")
  }

  // MARK: - Seeds

  static func seeds() throws -> [[UInt8]] {
    try LogUse.sizes.map { rounds in
      let directory = try TemporaryDirectory()
      try waiting {
        let log = try LMDBEventLog.create(
          at: directory.url, storeID: StoreID(high: 1, low: 2),
          replica: ReplicaID(high: 3, low: 4), options: options)
        try await LogUse.fill(log, rounds: rounds)
        await log.close()
      }
      return [UInt8](try Data(contentsOf: dataFile(of: directory)))
    }
  }
}
