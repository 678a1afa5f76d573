import CarillonLMDB
import CarillonLog
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// What a power cut takes from a log on LMDB that does not wait for the disk.
struct RelaxedLogTests {
  /// Longer than any test, so that only closing syncs.
  private static let options = {
    var options = LMDBLogOptions()
    options.durability = .relaxed(within: .seconds(3_600))
    return options
  }()

  @Test("Without the last commit's meta page, the log opens at the commit before")
  func lastCommit() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create(Self.options)
    for number in 0..<50 { try await log.record("event \(number)") }
    let before = try Data(contentsOf: fixture.dataFile)
    try await log.record("the last")
    let after = try Data(contentsOf: fixture.dataFile)
    await log.close()
    // The commit wrote one of the two meta pages, and no page that the other one describes.
    let changed = [0, 1].filter { before.page($0) != after.page($0) }
    #expect(changed.count == 1)
    try #require(after.count >= before.count)
    var cut = after
    for page in changed { cut.replaceSubrange(Data.range(ofPage: page), with: before.page(page)) }
    try cut.write(to: fixture.dataFile, inPlace: true)
    let again = try fixture.open(Self.options)
    #expect(try again.texts() == (0..<50).map { "event \($0)" })
    #expect(try again.verify().isEmpty)
    try await again.record("it goes on")
    #expect(try again.lastPosition().rawValue == 51)
    await again.close()
  }

  @Test("A process that does not close loses nothing while the system runs")
  func notClosed() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create(Self.options)
    try await log.record("a")
    let copy = fixture.directory.appending("copy")
    try FileManager.default.copyItem(at: fixture.url, to: copy)
    let other = try LMDBEventLog.open(at: copy)
    #expect(try other.texts() == ["a"])
    await other.close()
    await log.close()
  }
}

extension Data {
  fileprivate static func range(ofPage number: Int) -> Range<Int> {
    number * 4_096..<(number + 1) * 4_096
  }

  fileprivate func page(_ number: Int) -> Data { self[Self.range(ofPage: number)] }

  /// Overwrites a file, which keeps its inode, as after a power cut.
  fileprivate func write(to file: URL, inPlace: Bool) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: self)
    try handle.truncate(atOffset: UInt64(count))
    try handle.close()
  }
}
