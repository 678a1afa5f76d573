@testable import CarillonSQLiteLog
import CarillonModel
import CarillonTestSupport
import Foundation

extension FuzzTarget {
  static let sqliteLogTargets = [
    FuzzTarget(
      name: "sqlite-log", maxByteCount: 131_072, seeds: SQLiteLogFiles.seeds,
      run: SQLiteLogFiles.use)
  ]
}

/// The file of a log on SQLite.
private enum SQLiteLogFiles {
  /// All operations of a log; the only errors are those of logs.
  static func use(_ bytes: UnsafeRawBufferPointer) throws {
    let directory = try TemporaryDirectory()
    try Data(bytes).write(to: file(of: directory))
    try waiting {
      let log: SQLiteEventLog
      do {
        log = try SQLiteEventLog.open(at: directory.url, options: LogUse.options)
      } catch is LogError {
        return
      }
      await LogUse.all(log)
      await log.close()
    }
  }

  private static func file(of directory: TemporaryDirectory) -> URL {
    directory.url.appending(path: "log.sqlite")
  }

  static func seeds() throws -> [[UInt8]] {
    try LogUse.sizes.map { rounds in
      let directory = try TemporaryDirectory()
      try waiting {
        let log = try SQLiteEventLog.create(
          at: directory.url, storeID: StoreID(high: 1, low: 2),
          replica: ReplicaID(high: 3, low: 4), options: LogUse.options)
        try await LogUse.fill(log, rounds: rounds)
        await log.close()
      }
      return [UInt8](try Data(contentsOf: file(of: directory)))
    }
  }
}
