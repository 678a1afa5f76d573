import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The store directory of one test, with the operations that most tests use.
struct LogFixture {
  let directory: TemporaryDirectory
  let url: URL
  let store = StoreID(high: 1, low: 2)
  let replica = ReplicaID(high: 3, low: 4)

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.appending("store")
  }

  var dataFile: URL { url.appendingPathComponent("log/data.mdb") }

  func create(_ options: LMDBLogOptions = LMDBLogOptions()) throws -> LMDBEventLog {
    try LMDBEventLog.create(at: url, storeID: store, replica: replica, options: options)
  }

  func open(_ options: LMDBLogOptions = LMDBLogOptions()) throws -> LMDBEventLog {
    try LMDBEventLog.open(at: url, options: options)
  }

  /// Creates a closed log with three branches, one of them a fork, with small and large payloads.
  @discardableResult
  func fill(rounds: Int = 20) async throws -> LogPosition {
    try await create().fillAndClose(rounds: rounds)
  }

  /// Replaces bytes wherever they occur in the data file.
  func replaceInFile(_ old: [UInt8], by new: [UInt8]) throws {
    var file = try Data(contentsOf: dataFile)
    var start = file.startIndex
    while let range = file.range(of: Data(old), in: start..<file.endIndex) {
      file.replaceSubrange(range, with: new)
      start = range.upperBound
    }
    try #require(start > file.startIndex, "the bytes are in the file")
    try file.write(to: dataFile)
  }
}

extension LMDBLogOptions {
  /// Waits for at most 200 ms.
  static var impatient: LMDBLogOptions {
    var options = LMDBLogOptions()
    options.busyTimeout = .milliseconds(200)
    return options
  }
}
