import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// One wrong bit in the data file: what the log returns is right, correctly repaired, or an error.
///
/// Each seed tries 20 bits, and `tools/live --only flips` tries more seeds. A failure prints its
/// seed.
struct FlippedBitTests {
  @Test(
    "The log serves no wrong data because of a wrong bit anywhere in the file",
    arguments: TestSeed.first(2))
  func anywhere(_ seed: UInt64) async throws {
    try await flip(seed: seed) { file, generator in
      [Int.random(in: 0..<8 * file.count, using: &generator)]
    }
  }

  @Test(
    "The log serves no wrong data because of a wrong bit in LMDB's first two pages",
    arguments: TestSeed.first(1))
  func metaPages(_ seed: UInt64) async throws {
    try await flip(seed: seed) { _, generator in
      let page = Int.random(in: 0...1, using: &generator)
      return [8 * 4_096 * page + Int.random(in: 0..<8 * 160, using: &generator)]
    }
  }

  @Test(
    "The log serves no wrong data because of a wrong bit in a small table",
    arguments: ["meta", "main", "free list", "branches of events"], TestSeed.first(1))
  func smallPages(_ table: String, _ seed: UInt64) async throws {
    try await flip(seed: seed) { file, generator in
      let pages =
        switch table {
        case "meta": file.indices(ofPagesWith: Data("checksum".utf8))
        case "main": file.indices(ofPagesWith: Data("branches".utf8))
        case "free list": file.pages.freeRecords.map { $0.commit / 4_096 }
        default: try file.pages.database("events").branches
        }
      guard let page = pages.randomElement(using: &generator) else { return [] }
      return [8 * 4_096 * page + Int.random(in: 0..<8 * 4_096, using: &generator)]
    }
  }

  @Test(
    "A wrong bit in a branch's row is repaired or reported", arguments: [false, true])
  func branchRow(_ isFork: Bool) async throws {
    var bytes = 0..<76
    let answers = try await flip(seed: TestSeed.value, count: bytes.count) { file, generator in
      let byte = bytes.removeFirst()
      let bit = Int.random(in: 0..<8, using: &generator)
      return (isFork ? file.rowsOfFork : file.rowsOfOwnBranch).map { 8 * ($0 + byte) + bit }
    }
    // The row: ReplicaID 16, parent 12, head sequence 8, head ID 32, checksum 8. The head is
    // repaired from the last event, the checksum from the other fields, and the replica of a fork
    // from its parent branch.
    for (byte, answer) in answers.enumerated() where byte >= 28 || isFork && byte < 16 {
      #expect(answer == .right, "byte \(byte)")
    }
  }

  // MARK: -

  private enum Answer { case right, reported, wrong }

  /// Damages copies of one log, one bit at a time, and uses each copy.
  @discardableResult
  private func flip(
    seed: UInt64, count: Int = 20,
    choose: (DamagedBytes, inout SeededGenerator) throws -> [Int]
  ) async throws -> [Answer] {
    let fixture = try LogFixture()
    let truth = try await fill(fixture)
    let whole = try Data(contentsOf: fixture.dataFile)
    let bytes = DamagedBytes(whole, own: fixture.replica)
    var generator = SeededGenerator(seed: seed)
    var answers: [Answer] = []
    for _ in 0..<count {
      let bits = try choose(bytes, &generator)
      let bit = try #require(bits.first)
      var damaged = whole
      for bit in bits { damaged[bit / 8] ^= 1 << UInt8(bit % 8) }
      try damaged.write(to: fixture.dataFile)
      let answer = try await use(fixture, truth)
      #expect(answer != .wrong, "seed \(seed): bit \(bit % 8) of byte \(bit / 8)")
      answers.append(answer)
    }
    return answers
  }

  /// Creates a closed log with three branches, a fork, an erased payload and a moved generation.
  private func fill(_ fixture: LogFixture) async throws -> LogContents {
    try await fixture.fill(rounds: 4)
    let log = try fixture.open()
    let erasing = try await log.record("erase").events[0].id
    _ = try await log.erase([ErasedPayload(position: LogPosition(rawValue: 7), erasure: erasing)])
    _ = try await log.moveProjectionGeneration(from: 0, to: 3)
    try await log.record("last")
    let contents = try LogContents(log)
    await log.close()
    return contents
  }

  /// Reads everything, sends it to another replica, and writes.
  private func use(_ fixture: LogFixture, _ truth: LogContents) async throws -> Answer {
    do {
      let log = try fixture.open()
      let answer: Answer
      do {
        answer = try await use(log, truth)
      } catch {
        await log.close()
        throw error
      }
      await log.close()
      return answer
    } catch let error as LogError where [.corrupt, .unsupportedFormat].contains(error.code) {
      return .reported
    }
  }

  private func use(_ log: LMDBEventLog, _ truth: LogContents) async throws -> Answer {
    let before = try LogContents(log)
    // The store, not the log, checks the erasure that a redacted event names.
    guard !before.differsInErasures(from: truth) else { return .reported }
    guard before == truth else {
      return try log.verify().isEmpty || log.damagedEvents().isEmpty ? .wrong : .reported
    }
    for number in 0..<3 { try await log.record("more \(number)") }
    let after = try LogContents(log)
    guard truth.isHeld(by: after) else { return try log.verify().isEmpty ? .wrong : .reported }
    let other = InMemoryEventLog(storeID: log.storeID, replica: ReplicaID(high: 8, low: 8))
    for run in try log.allRuns() {
      do {
        _ = try await other.append([run], wallClock: .logTests)
      } catch let error as LogError where error.code == .corruptRun {
        return try log.damagedEvents().isEmpty ? .wrong : .reported
      }
    }
    let taken = try LogContents(other).events
    return Set(taken) == Set(after.events) ? .right : .wrong
  }
}

/// The bytes of a data file, used to select those to damage.
private struct DamagedBytes {
  private let data: Data
  var pages: DataFilePages { DataFilePages(data) }
  private let own: ReplicaID
  var count: Int { data.count }

  init(_ data: Data, own: ReplicaID) {
    self.data = data
    self.own = own
  }

  /// The offsets of the copies of the own branch's current row.
  var rowsOfOwnBranch: [Int] { rows(1, own, parent: [UInt8](repeating: 0, count: 12)) }

  /// The same for the branch that forks from the first one at its fifth event.
  var rowsOfFork: [Int] {
    rows(2, ReplicaID(high: 9, low: 9), parent: [UInt8](repeating: 0, count: 11) + [5])
  }

  /// The rows of a branch with the greatest head, which are the current ones.
  ///
  /// In a row, the replica and the parent follow the index. This sequence of bytes occurs in no
  /// event and not in `meta`.
  private func rows(_ index: UInt8, _ replica: ReplicaID, parent: [UInt8]) -> [Int] {
    let key = Data([0, 0, 0, index] + replica.bytes + parent)
    var rows: [(head: [UInt8], offset: Int)] = []
    var start = data.startIndex
    while let range = data.range(of: key, in: start..<data.endIndex) {
      rows.append((Array(data[range.upperBound..<range.upperBound + 8]), range.lowerBound + 4))
      start = range.upperBound
    }
    let newest = rows.map(\.head).max { $0.lexicographicallyPrecedes($1) }
    return rows.filter { $0.head == newest }.map(\.offset)
  }

  func indices(ofPagesWith mark: Data) -> [Int] {
    stride(from: 2 * 4_096, to: data.count, by: 4_096).filter {
      data[$0..<$0 + 4_096].range(of: mark) != nil
    }.map { $0 / 4_096 }
  }
}
