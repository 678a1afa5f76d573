import CarillonLog
import CarillonModel
import CarillonSQLiteLog
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The files of a log on SQLite: their names, their sizes, and faults in them.
struct SQLiteLogFileTests {
  @Test("Only the owner may use the files, and closing leaves only the log and its marker")
  func files() async throws {
    let fixture = try SQLiteLogFixture()
    let log = try fixture.create()
    try await log.record("a")
    for name in try fixture.names() {
      var status = stat()
      #expect(stat(fixture.url.path + "/" + name, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
      #expect(SQLiteLogStorage().owns(name), "\(name)")
    }
    var status = stat()
    #expect(stat(fixture.url.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    await log.close()
    #expect(try fixture.names() == ["log.identity", "log.sqlite"])
  }

  @Test("A copied directory takes a new identity, announces it, and continues under it")
  func copied() async throws {
    let fixture = try SQLiteLogFixture()
    let original = try fixture.create()
    try await original.record("a")
    await original.close()
    let copy = fixture.directory.appending("copy")
    try FileManager.default.copyItem(at: fixture.url, to: copy)
    let log = try SQLiteEventLog.open(at: copy)
    #expect(try log.identity().predecessor == fixture.replica)
    #expect(try !log.identity().isAnnounced)
    log.setIdentityAnnouncement { _ in [NewEvent(payload: Array("announced".utf8))] }
    try await log.record("b")
    let texts = try log.texts()
    #expect(texts == ["a", "announced", "b"])
    let taken = try log.identity().replica
    await log.close()
    let again = try SQLiteEventLog.open(at: copy)
    #expect(try again.identity().replica == taken)
    await again.close()
    let moved = fixture.directory.appending("moved")
    try FileManager.default.moveItem(at: fixture.url, to: moved)
    let kept = try SQLiteEventLog.open(at: moved)
    #expect(try kept.identity().replica == fixture.replica)
    await kept.close()
  }

  @Test("If two processes create a log in one place, one is refused; a foreign file is kept")
  func making() async throws {
    let fixture = try SQLiteLogFixture()
    let storage = SQLiteLogStorage()
    func make() throws -> any LogCreation {
      try storage.make(
        at: fixture.url, storeID: fixture.store, replica: fixture.replica, options: LogOptions())
    }
    let first = try make()
    #expect(try await logErrorCode { _ = try make() } == .alreadyExists)
    try await first.log.record("a")
    first.discard()
    #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
    let second = try make()
    try await second.log.record("b")
    try second.publish()
    #expect(try await logErrorCode { _ = try make() } == .alreadyExists)
    try await second.log.record("c")
    #expect(try second.log.events().count == 2)
    await second.log.close()
    let other = fixture.directory.appending("other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
    let foreign = other.appending(path: "log.new.sqlite")
    try Data("a diary".utf8).write(to: foreign)
    let error = #expect(throws: LogError.self) {
      _ = try SQLiteEventLog.create(at: other, storeID: fixture.store, replica: fixture.replica)
    }
    #expect(error?.code == .alreadyExists && error?.message.contains("log.new.sqlite") == true)
    #expect(try Data(contentsOf: foreign) == Data("a diary".utf8))
  }

  @Test(
    "Nothing is written or read after a file was removed or replaced while the log is open",
    arguments: ["log.sqlite", "log.sqlite-wal"], [false, true])
  func replaced(_ name: String, _ isReplaced: Bool) async throws {
    let fixture = try SQLiteLogFixture()
    let log = try fixture.create()
    try await log.record("a")
    try log.checkFiles()
    let file = fixture.url.appending(path: name)
    try FileManager.default.moveItem(at: file, to: fixture.directory.appending("aside"))
    if isReplaced { try Data().write(to: file) }
    let uses: [() async throws -> Void] = [
      { try log.checkFiles() }, { try await log.record("b") }, { _ = try log.lastPosition() },
    ]
    for body in uses {
      let error = await #expect(throws: LogError.self) { try await body() }
      #expect(error?.code == .io && error?.message.contains(name) == true)
    }
    await log.close()
  }

  @Test("After compacting, the files contain no erased payload and all other events")
  func compacted() async throws {
    let fixture = try SQLiteLogFixture()
    let log = try fixture.create()
    let secret = "the secret that must disappear"
    var erased: [ErasedPayload] = []
    for number in 0..<400 {
      let text = number % 3 == 0 ? "\(secret) \(number)" : "event \(number)"
      let recorded = try await log.record(text)
      if number % 3 == 0 {
        erased.append(
          ErasedPayload(position: recorded.events[0].position, erasure: recorded.events[0].id))
      }
    }
    let large = NewEvent(payload: Array(String(repeating: secret, count: 300).utf8))
    _ = try await log.record([large], wallClock: .logTests, expecting: nil)
    let last = try await log.record("last").events[0].id
    erased = (erased.map(\.position) + [LogPosition(rawValue: 401)]).map {
      ErasedPayload(position: $0, erasure: last)
    }
    #expect(try await log.erase(erased) == 135)
    let events = try log.events()
    let storage = SQLiteLogStorage()
    var options = LogOptions()
    options.busyTimeout = .zero
    let compact = { [options] in try storage.compact(at: fixture.url, options: options) }
    #expect(try await logErrorCode { try compact() } == .busy)
    await log.close()
    try compact()
    for name in try fixture.names() {
      let bytes = try Data(contentsOf: fixture.url.appending(path: name))
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
    }
    let again = try fixture.open()
    #expect(try again.events() == events)
    #expect(try again.identity().replica == fixture.replica)
    #expect(try again.verify() == [])
    await again.close()
  }

  @Test("A log takes another store's ID once, and only while no process has it open")
  func takesStoreID() async throws {
    let fixture = try SQLiteLogFixture()
    let log = try fixture.create()
    try await log.record("a")
    let other = StoreID(high: 9, low: 9)
    var options = LogOptions()
    options.busyTimeout = .zero
    func take() throws -> Bool {
      try SQLiteLogStorage().setStoreID(other, at: fixture.url, options: options)
    }
    #expect(try await logErrorCode { _ = try take() } == .busy)
    await log.close()
    #expect(try take() && !take())
    let again = try fixture.open()
    #expect(again.storeID == other)
    #expect(try again.projectionGeneration() == 1)
    #expect(try again.events().count == 1)
    await again.close()
  }

  @Test("An idle log has three files open, and closing the log closes them all")
  func descriptors() async throws {
    let fixture = try SQLiteLogFixture()
    let log = try fixture.create()
    try await log.record("a")
    func open() throws -> [String] {
      let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      return names.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }.filter { $0.hasPrefix(fixture.url.path) }
    }
    let names = try open()
    #expect(names.count == 3, "\(names)")
    try log.scan(after: .start) { _ in
      _ = try log.lastPosition()
      return true
    }
    // SQLite keeps the second reader's descriptor for the next one: closing it would release the
    // locks of the whole process.
    #expect(try Set(open()).count == 3 && open().count <= 4)
    await log.close()
    #expect(try open().isEmpty)
  }

  @Test(
    "An event of 142 bytes takes at most 1.3 times LMDB's bytes",
    arguments: [(10, 279.0), (1, 351.0), (1_000, 273.0)])
  func size(runCount: Int, limit: Double) async throws {
    let fixture = try SQLiteLogFixture()
    let log = try fixture.create()
    let eventCount = 30_000
    let payload = [UInt8](repeating: 0x55, count: 142)
    var histories = (1...2).map { EventHistory(ReplicaID(high: 7, low: $0)) }
    for batch in 0..<eventCount / 1_000 {
      let runs = (0..<1_000 / runCount).map { part in
        histories[(batch + part) % (runCount == 1_000 ? 1 : 2)]
          .run(Array(repeating: payload, count: runCount))
      }
      _ = try await log.append(runs, wallClock: .logTests)
    }
    #expect(try log.lastPosition().rawValue == UInt64(eventCount))
    #expect(try log.verify() == [])
    await log.close()
    var status = stat()
    #expect(stat(fixture.file.path, &status) == 0)
    let bytes = Double(status.st_size) / Double(eventCount)
    #expect(bytes <= limit, "\(bytes) bytes an event")
  }
}

extension SQLiteLogFixture {
  /// The names of the files in the store directory.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }
}
