import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// LMDB writes to the pages in its free list; damage there must not destroy earlier events.
struct PageUseTests {
  enum Used: CaseIterable {
    case leaf, branch, overflow, overflowEnd, branchesTable, runsTable, freeList
  }

  @Test(
    "A page in use is not overwritten if the free list contains it", arguments: Used.allCases)
  func usedPageIsFree(_ used: Used) async throws {
    try await refusesAndIsCured { pages in
      try pages.addToFreeList(page(used, in: pages))
    }
  }

  @Test("A free list entry of a commit that was never made is not used", arguments: [0, 1 << 40])
  func wrongCommit(_ commit: Int) async throws {
    try await refusesAndIsCured { pages in
      let records = pages.freeRecords
      let record = try #require(commit == 0 ? records.first : records.last)
      pages[record.commit] = commit
    }
  }

  @Test("A free list is not used if it contains a page twice or a page outside the file")
  func wrongPage() async throws {
    try await refusesAndIsCured { pages in
      let record = try #require(pages.freeRecords.last { $0.pages.count > 1 })
      pages[record.pages[1]] = pages[record.pages[0]]
    }
    try await refusesAndIsCured { pages in
      let record = try #require(pages.freeRecords.last { !$0.pages.isEmpty })
      pages[record.pages[0]] = pages.lastPage + 1
    }
  }

  @Test("A page in use beyond the last page is not overwritten", arguments: 1...4)
  func lastPage(_ count: Int) async throws {
    let (fixture, truth) = try await damaged { pages in
      pages[pages.lastPageOffset] = pages.lastPage - count
    }
    #expect(
      try await logErrorCode {
        let log = try fixture.open()
        let code = try await logErrorCode { try await log.record("more") }
        await log.close()
        if let code { throw LogError(code: code, message: "") }
      } == .corrupt)
    var pages = DataFilePages(try Data(contentsOf: fixture.dataFile))
    pages[pages.lastPageOffset] = pages.lastPage + count
    try pages.data.write(to: fixture.dataFile)
    let log = try fixture.open()
    #expect(try LogContents(log) == truth)
    await log.close()
  }

  @Test("A wrong commit number is reported and loses no commit", arguments: [0, 1])
  func commitNumber(_ page: Int) async throws {
    let (fixture, truth) = try await damaged { $0[page * 4_096 + 144] ^= 2 }
    #expect(try await logErrorCode { _ = try fixture.open() } == .corrupt)
    var pages = DataFilePages(try Data(contentsOf: fixture.dataFile))
    pages[page * 4_096 + 144] ^= 2
    try pages.data.write(to: fixture.dataFile)
    let log = try fixture.open()
    #expect(try LogContents(log) == truth)
    await log.close()
  }

  @Test("A repair does not free the pages of another event")
  func sharedOverflow() async throws {
    let fixture = try LogFixture()
    try await fixture.fill()
    let log = try fixture.open()
    let (truth, runs) = (try LogContents(log), try log.allRuns())
    await log.close()
    var pages = DataFilePages(try Data(contentsOf: fixture.dataFile))
    let events = try pages.database("events")
    try #require(events.overflows.count >= 2)
    pages[events.overflowOffsets[0]] = events.overflows[1]
    try pages.data.write(to: fixture.dataFile)
    #expect(try await repair(fixture, runs) == .corrupt)
    #expect(try Data(contentsOf: fixture.dataFile) == pages.data)
    try LMDBEventLog.compact(at: fixture.url)
    #expect(try await repair(fixture, runs) == nil)
    let again = try fixture.open()
    #expect(try LogContents(again) == truth)
    #expect(try again.verify() == [])
    await again.close()
  }

  // MARK: -

  private func page(_ used: Used, in pages: DataFilePages) throws -> Int {
    let events = try pages.database("events")
    switch used {
    case .leaf: return events.leaves[events.leaves.count / 2]
    case .branch: return try #require(events.branches.first)
    case .overflow: return try #require(events.overflows.first)
    case .overflowEnd: return try #require(events.overflows.last) + 1
    case .branchesTable: return try #require(pages.database("branches").leaves.first)
    case .runsTable: return try #require(pages.database("runs").leaves.first)
    case .freeList: return try #require(pages.freeRecords.first).commit / 4_096
    }
  }

  /// Returns a log of small and large events with a damaged file, and its contents before.
  private func damaged(
    _ damage: (inout DataFilePages) throws -> Void
  ) async throws -> (LogFixture, LogContents) {
    let fixture = try LogFixture()
    try await fixture.fill(rounds: 40)
    let log = try fixture.open()
    let truth = try LogContents(log)
    await log.close()
    var pages = DataFilePages(try Data(contentsOf: fixture.dataFile))
    try damage(&pages)
    try pages.data.write(to: fixture.dataFile)
    return (fixture, truth)
  }

  /// Expects that the damage prevents only writing and that a compaction repairs it.
  private func refusesAndIsCured(
    _ damage: (inout DataFilePages) throws -> Void
  ) async throws {
    let (fixture, truth) = try await damaged(damage)
    let file = try Data(contentsOf: fixture.dataFile)
    let log = try fixture.open()
    #expect(try LogContents(log) == truth)
    for _ in 0..<2 { #expect(try await logErrorCode { try await log.record("no") } == .corrupt) }
    #expect(try LogContents(log) == truth)
    let problems = try log.verify().map(\.description)
    #expect(!problems.isEmpty && problems.allSatisfy { $0.hasPrefix("free pages: ") })
    await log.close()
    #expect(try Data(contentsOf: fixture.dataFile) == file)
    try LMDBEventLog.compact(at: fixture.url)
    let again = try fixture.open()
    #expect(try LogContents(again) == truth)
    for number in 0..<20 { try await again.record("more \(number)") }
    #expect(try truth.isHeld(by: LogContents(again)))
    #expect(try again.verify() == [])
    await again.close()
  }

  private func repair(_ fixture: LogFixture, _ runs: [EventRun]) async throws -> LogError.Code? {
    let log = try fixture.open()
    let code = try await logErrorCode {
      _ = try await log.append(runs, wallClock: .logTests)
    }
    await log.close()
    return code
  }
}
