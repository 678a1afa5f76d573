import CarillonLMDB
import CarillonModel
import Foundation
import Testing

/// Files of other programs at the paths of a log's files.
struct ForeignFileTests {
  private let fixture: LogFixture

  init() throws {
    fixture = try LogFixture()
  }

  @Test(
    "A foreign file in the way of a new log is reported and left unchanged",
    arguments: [
      "log.new", "log.new/data.mdb", "log.new/lock.mdb", "log.new/identity", "log.new/a note",
      "log", "log/a note",
    ])
  func making(name: String) throws {
    let path = try put("mine", at: name)
    for _ in 0..<2 {
      let error = #expect(throws: LogError.self) { try make().discard() }
      #expect(error?.code == .alreadyExists)
      // If the directory is not a log, the directory is named.
      let named = name.hasPrefix("log/") ? path.deletingLastPathComponent() : path
      #expect(error?.message.contains(named.path) == true, "\(String(describing: error))")
      #expect(try String(contentsOf: path, encoding: .utf8) == "mine")
    }
    #expect(try fixture.names(below: name) == [path.lastPathComponent])
    try FileManager.default.removeItem(
      at: fixture.url.appending(path: name.split(separator: "/")[0]))
    try make().discard()
  }

  @Test("Creating a log follows no link out of its directory")
  func link() throws {
    let path = try put("mine", at: "elsewhere/data.mdb")
    let link = fixture.url.appending(path: "log.new")
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: path.deletingLastPathComponent())
    let error = #expect(throws: LogError.self) { try make().discard() }
    #expect(error?.code == .alreadyExists && error?.message.contains(link.path) == true)
    #expect(try String(contentsOf: path, encoding: .utf8) == "mine")
  }

  @Test("Opening a log reports a file in the place of its directory")
  func opening() throws {
    let path = try put("mine", at: "log")
    let error = #expect(throws: LogError.self) {
      try LMDBEventLog.open(at: fixture.url).closeBlocking()
    }
    #expect(error?.code == .notFound && error?.message.contains(path.path) == true)
  }

  @Test(
    "A compaction overwrites no foreign file, and opening a log removes none",
    arguments: [false, true])
  func compaction(isLink: Bool) async throws {
    try await fixture.fill()
    let name = "log/data.mdb.compacted"
    let path = try put("mine", at: isLink ? "elsewhere" : name)
    let copy = fixture.url.appending(path: name)
    if isLink { try FileManager.default.createSymbolicLink(at: copy, withDestinationURL: path) }
    for _ in 0..<2 {
      let error = #expect(throws: LogError.self) { try LMDBEventLog.compact(at: fixture.url) }
      #expect(error?.code == .alreadyExists && error?.message.contains(copy.path) == true)
      let log = try fixture.open()
      #expect(try log.verify().isEmpty)
      await log.close()
      #expect(try String(contentsOf: path, encoding: .utf8) == "mine")
      #expect(try fixture.names(below: name).contains(copy.lastPathComponent))
    }
    try FileManager.default.removeItem(at: copy)
    try LMDBEventLog.compact(at: fixture.url)
  }

  private func make() throws -> LMDBLogMaking {
    try LMDBLogMaking(at: fixture.url, storeID: fixture.store, replica: fixture.replica)
  }

  /// Writes a file in the store's directory.
  private func put(_ text: String, at name: String) throws -> URL {
    let path = fixture.url.appending(path: name)
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: path)
    return path
  }
}

extension LogFixture {
  /// Returns the names of the files next to a file in the store's directory.
  fileprivate func names(below name: String) throws -> [String] {
    let path = url.appending(path: name).deletingLastPathComponent().path
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }
}
