import CarillonModel
import CarillonSQLiteLog
import CarillonTestSupport
import Foundation
import Testing

/// What a power cut takes from a log on SQLite that does not wait for the disk.
struct RelaxedSQLiteLogTests {
  /// Longer than any test, so that only closing syncs.
  private static let options = {
    var options = LogOptions()
    options.durability = .relaxed(within: .seconds(3_600))
    return options
  }()

  @Test("With any part of its journal, the log opens with the first events, and without gaps")
  func journal() async throws {
    let fixture = try SQLiteLogFixture()
    let log = try fixture.create(Self.options)
    for number in 0..<20 { try await log.record("event \(number)") }
    let database = try Data(contentsOf: fixture.file)
    let journal = try Data(contentsOf: Self.journal(of: fixture.url))
    let marker = try Data(contentsOf: fixture.url.appending(path: "log.identity"))
    await log.close()
    var counts: Set<Int> = []
    for length in stride(from: 0, through: journal.count, by: 1_500) {
      for lost in [Data(), Data(count: journal.count - length)] {
        let cut = fixture.directory.appending("cut")
        try? FileManager.default.removeItem(at: cut)
        try FileManager.default.createDirectory(at: cut, withIntermediateDirectories: true)
        try database.write(to: cut.appending(path: "log.sqlite"))
        try marker.write(to: cut.appending(path: "log.identity"))
        try (journal.prefix(length) + lost).write(to: Self.journal(of: cut))
        let again = try SQLiteEventLog.open(at: cut, options: Self.options)
        let texts = try again.events().map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(texts == (0..<texts.count).map { "event \($0)" }, "\(length)")
        #expect(try again.verify().isEmpty, "\(length)")
        counts.insert(texts.count)
        await again.close()
      }
    }
    #expect(counts.count > 10 && counts.contains(0), "\(counts.sorted())")
  }

  private static func journal(of directory: URL) -> URL {
    directory.appending(path: "log.sqlite-wal")
  }
}
