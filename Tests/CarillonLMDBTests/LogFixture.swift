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

  static let noon = Instant(milliseconds: 1_790_000_000_000)

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
    let log = try create()
    var trunk = EventHistory(ReplicaID(high: 9, low: 9))
    _ = try await log.append([trunk.run(count: 5)], wallClock: Self.noon)
    var twig = trunk
    for round in 0..<rounds {
      let events = (0..<10).map { NewEvent(payload: payload(round * 10 + $0)) }
      _ = try await log.record(events, wallClock: Self.noon, expecting: nil)
      let runs = [trunk.run(count: 3, text: "trunk"), twig.run(count: 2, text: "twig")]
      _ = try await log.append(runs, wallClock: Self.noon)
    }
    let last = try log.lastPosition()
    await log.close()
    return last
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

  /// Returns a payload of 20 to 220 bytes.
  ///
  /// Every fiftieth has 5,000 bytes, which LMDB puts on overflow pages.
  func payload(_ number: Int) -> [UInt8] {
    let count = number % 50 == 49 ? 5_000 : 20 + number * 37 % 200
    return (0..<count).map { UInt8(truncatingIfNeeded: number &+ $0) }
  }
}

extension LMDBEventLog {
  /// Records one small event.
  @discardableResult
  func record(_ text: String) async throws -> Recorded {
    let outcome = try await record(
      [NewEvent(payload: Array(text.utf8))], wallClock: LogFixture.noon, expecting: nil)
    guard case .recorded(let recorded) = outcome else {
      throw UnexpectedOutcome()
    }
    return recorded
  }

  /// Returns the payloads as text, by position.
  func texts() throws -> [String] {
    var texts: [String] = []
    try scan(after: .start) { event in
      texts.append(String(decoding: event.payload, as: UTF8.self))
      return true
    }
    return texts
  }
}

/// Returns the code of the ``LogError`` that a body throws; nil if it throws none.
func logErrorCode(_ body: () async throws -> Void) async throws -> LogError.Code? {
  do {
    try await body()
    return nil
  } catch let error as LogError {
    return error.code
  }
}

/// An outcome with which a test cannot continue.
struct UnexpectedOutcome: Error {}

extension LMDBLogOptions {
  /// Waits for at most 200 ms.
  static var impatient: LMDBLogOptions {
    var options = LMDBLogOptions()
    options.busyTimeout = .milliseconds(200)
    return options
  }
}
