@testable import CarillonLMDB
import CarillonModel
import CarillonTesting
import Foundation

extension FuzzTarget {
  static let logTargets = [
    FuzzTarget(name: "log-pages", maxByteCount: 131_072, seeds: LogFiles.seeds, run: Pages.read),
    FuzzTarget(name: "log-file", maxByteCount: 131_072, seeds: LogFiles.seeds, run: LogFiles.use),
  ]
}

/// The pages of a log's data file in memory, read without LMDB.
private enum Pages {
  /// All reads of a log; the only errors are damage and another version.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      guard let pages = try snapshot(of: bytes) else { return }
      try pages.checkForWriting()
      let snapshot = try LogSnapshot(pages, state: LogState(pages))
      try verify(snapshot, pages)
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
      freeList: FreeList(tree: try newest.freeList(map)), main: try newest.main(map))
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

  private static func verify(_ snapshot: LogSnapshot, _ pages: PageSnapshot) throws {
    var verification = LogVerification(snapshot, maxProblemCount: 100)
    verification.checkPages(pages)
    try verification.checkEvents()
    verification.checkRuns()
    verification.checkHeads()
  }

  private static func look(into snapshot: LogSnapshot) throws {
    let scan = EventScan(snapshot)
    for branch in snapshot.state.branches {
      _ = try snapshot.find(branch.headID)
      let sequences = 1...branch.headSequence.rawValue
      _ = try scan.visit(sequences, of: Int(branch.index.rawValue)) { _ in true }
    }
    guard snapshot.state.lastPosition > 0 else { return }
    _ = try scan.visit(1...snapshot.state.lastPosition) { _ in true }
  }
}

/// A log's data file on disk, opened with LMDB.
private enum LogFiles {
  private static let noon = Instant(milliseconds: 1_790_000_000_000)

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
      await use(log)
      await log.close()
    }
  }

  /// Runs each operation, even if an earlier one failed.
  private static func use(_ log: LMDBEventLog) async {
    var history = EventHistory(ReplicaID(high: 9, low: 9))
    let runs = [history.run(count: 5), history.run(count: 1, text: "more")]
    let events = (0..<20).map { NewEvent(payload: Array("event \($0)".utf8)) }
    _ = try? log.scan(after: .start) { _ in true }
    for branch in (try? log.branches()) ?? [] {
      _ = try? log.scan(branch: branch.index, from: .first) { _ in true }
      _ = try? log.position(of: branch.headID)
    }
    _ = try? log.verify()
    _ = try? await log.append(runs, wallClock: noon)
    for _ in 0..<3 { _ = try? await log.record(events, wallClock: noon, expecting: nil) }
  }

  private static var options: LMDBLogOptions {
    var options = LMDBLogOptions()
    options.initialMapByteCount = 1 << 20
    options.maxMapByteCount = 1 << 24
    options.logger.logLevel = .critical
    return options
  }

  private static func dataFile(of directory: TemporaryDirectory) -> URL {
    directory.url.appending(path: "log/data.mdb")
  }

  // MARK: - Seeds

  /// Data files: without events, and with branches, a fork and large payloads.
  static func seeds() throws -> [[UInt8]] {
    try [0, 1, 3].map { rounds in
      let directory = try TemporaryDirectory()
      try waiting {
        let log = try LMDBEventLog.create(
          at: directory.url, storeID: StoreID(high: 1, low: 2),
          replica: ReplicaID(high: 3, low: 4), options: options)
        var trunk = EventHistory(ReplicaID(high: 9, low: 9))
        if rounds > 0 { _ = try await log.append([trunk.run(count: 5)], wallClock: noon) }
        var twig = trunk
        for round in 0..<rounds {
          let large = [UInt8](repeating: UInt8(round), count: round == 1 ? 5_000 : 200)
          let events = [NewEvent(payload: large), NewEvent(payload: [1])]
          _ = try await log.record(events, wallClock: noon, expecting: nil)
          let runs = [trunk.run(count: 3, text: "trunk"), twig.run(count: 2, text: "twig")]
          _ = try await log.append(runs, wallClock: noon)
        }
        await log.close()
      }
      return [UInt8](try Data(contentsOf: dataFile(of: directory)))
    }
  }
}
