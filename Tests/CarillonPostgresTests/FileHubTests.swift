#if Service
import CarillonHub
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

@testable import CarillonHubFiles

/// The port of a hub's database, tested on files.
struct FileHubTests {
  @Test("A hub in a directory conforms", arguments: HubConformance.checks)
  func conforms(_ check: HubConformance) async throws {
    let directory = try TemporaryDirectory()
    try await check.run { try FileHub(at: directory.appending("hub").path, creates: true) }
  }

  @Test("A hub in a named file conforms, and keeps its logs beside that file")
  func named() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.appending("family.sqlite")
    try await HubConformance.checks[0].run { try FileHub(at: file.path, creates: true) }
    #expect(FileManager.default.fileExists(atPath: file.path))
    let logs = directory.appending("family.logs").path
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: logs).contains {
        $0.hasSuffix("log.sqlite")
      })
  }

  @Test("The tables change only while no other process uses the hub")
  func upgrade() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.path
    let logs = directory.appending("people.logs")
    try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: false)
    let other = try FileUse(logs.path, .shared)
    #expect(try await logErrorCode { _ = try FileHub(at: path, creates: true) } == .busy)
    other.end()
    let hub = try FileHub(at: path)
    // Nothing is left to change.
    try await FileHub(at: path).close()
    await hub.close()
  }

  @Test("A process that waits to change the tables goes on once another process has changed them")
  func upgradedMeanwhile() throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.path
    let (first, second) = (try FileUse(path, .shared), try FileUse(path, .shared))
    var looks = 0
    try second.alone {
      looks += 1
      return looks == 3
    } _: {
      Issue.record("two processes changed the tables")
    }
    #expect(looks == 3)
    first.end()
    // It still has its share of the lock.
    #expect(throws: LogError.self) { try FileUse(path, .exclusive) }
    second.end()
    try FileUse(path, .exclusive).end()
  }

  @Test("Processes notice each other also after all files that the hub can make again are removed")
  func lock() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.path
    let hub = try FileHub(at: path, creates: true)
    try await hub.add(.random(), quota: HubQuota())
    for name in try FileManager.default.contentsOfDirectory(atPath: path)
    where !name.hasPrefix("people.sqlite") && name != "people.logs" {
      try FileManager.default.removeItem(atPath: path + "/" + name)
    }
    #expect(try await logErrorCode { _ = try FileHub(at: path, use: .exclusive) } == .busy)
    await hub.close()
    try await FileHub(at: path, use: .exclusive).close()
  }

  @Test("A directory with logs but without the file of the people does not become a new hub")
  func lostPeople() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.path
    let hub = try FileHub(at: path, creates: true)
    try await hub.add(.random(), quota: HubQuota())
    await hub.close()
    try FileManager.default.removeItem(atPath: path + "/people.sqlite")
    let code = try await logErrorCode { _ = try FileHub(at: path, creates: true) }
    #expect(code == .alreadyExists)
  }

  @Test("Only the owner can read the files")
  func permissions() async throws {
    let directory = try TemporaryDirectory()
    let place = directory.appending("hub")
    let hub = try FileHub(at: place.path, creates: true)
    _ = try await HubConformance.person(in: hub)
    for name in try FileManager.default.subpathsOfDirectory(atPath: place.path) {
      let path = place.appending(path: name).path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(try #require(mode) & 0o077 == 0, "\(name)")
    }
    await hub.close()
  }

  @Test("An invitation of a person whose log is missing is not used up")
  func lostLog() async throws {
    let directory = try TemporaryDirectory()
    let hub = try FileHub(at: directory.url.path, creates: true)
    let (person, _) = try await HubConformance.person(in: hub)
    let invitation = HubConformance.entry(.invitation, of: person)
    try await hub.add(invitation, at: HubConformance.noon)
    await hub.close()
    let logs = directory.appending("people.logs")
    let elsewhere = directory.appending("elsewhere")
    try FileManager.default.moveItem(at: logs, to: elsewhere)
    let opened = try FileHub(at: directory.url.path)
    let device = HubConformance.entry(.device, of: person)
    let refused = try await logErrorCode { _ = try await opened.exchange(invitation, for: device) }
    #expect(refused == .corrupt)
    #expect(try await opened.access(.device, digest: device.digest) == nil)
    await opened.close()
    try FileManager.default.removeItem(at: logs)
    try FileManager.default.moveItem(at: elsewhere, to: logs)
    let restored = try FileHub(at: directory.url.path)
    #expect(try await restored.exchange(invitation, for: device))
    await restored.close()
  }

  @Test("After an erasure, no file has the ID of the person or a payload")
  func erased() async throws {
    let directory = try TemporaryDirectory()
    let hub = try FileHub(at: directory.url.path, creates: true)
    let (person, _) = try await HubConformance.person(in: hub)
    var history = EventHistory(.random())
    let secret = HubConformance.random(40)
    try await HubConformance.append(history.run([secret]), to: person, in: hub)
    _ = try await hub.erase(person)
    await hub.close()
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.url.path) {
      #expect(!name.contains(person.description))
      guard let data = try? Data(contentsOf: directory.appending(name)) else { continue }
      #expect(data.range(of: Data(person.bytes)) == nil, "\(name)")
      #expect(data.range(of: Data(secret)) == nil, "\(name)")
    }
  }

  @Test("An erasure that was killed is finished by the same call, and by the next start")
  func killedErasure() async throws {
    let directory = try TemporaryDirectory()
    let hub = try FileHub(at: directory.url.path, creates: true)
    let (again, left) = (
      try await HubConformance.person(in: hub).0, try await HubConformance.person(in: hub).0
    )
    for person in [again, left] { _ = try await hub.beginErasure(of: person) }
    let refused = await #expect(throws: LogError.self) {
      try await hub.add(again, quota: HubQuota())
    }
    #expect(refused?.code == .alreadyExists)
    #expect(refused?.message.contains("was erased for good") == true)
    let files = try #require(try await hub.erase(again).tables.first)
    #expect(files.rowsBefore > 0 && files.rowsAfter == 0)
    #expect(try hub.logs.fileCount(left) > 0)
    try await hub.finishErasures()
    #expect(try hub.logs.fileCount(left) == 0)
    #expect(try await logErrorCode { _ = try await hub.erase(left) } == .notFound)
    await hub.close()
  }

  @Test("The files of an erased person that are there without the person can be erased")
  func leftFiles() async throws {
    let directory = try TemporaryDirectory()
    let hub = try FileHub(at: directory.url.path, creates: true)
    let person = try await HubConformance.person(in: hub).0
    _ = try await hub.erase(person)
    try hub.logs.create(person)
    let files = try #require(try await hub.erase(person).tables.first)
    #expect(files.rowsBefore > 0 && files.rowsAfter == 0)
    await hub.close()
  }

  @Test(
    "A hub whose files are removed says so, and goes on when they are back",
    arguments: ["people.sqlite", "people.logs", ""])
  func replaced(_ name: String) async throws {
    let directory = try TemporaryDirectory()
    let place = directory.appending("hub")
    let hub = try FileHub(at: place.path, creates: true)
    let person = try await HubConformance.person(in: hub).0
    let (moved, away) = (
      name.isEmpty ? place : place.appending(path: name), directory.appending("away")
    )
    try FileManager.default.moveItem(at: moved, to: away)
    for _ in 1...2 {
      #expect(await hub.groups().first?.failure?.obstacle == .replacedFiles)
      let refused = await #expect(throws: LogError.self) {
        try await hub.setQuota(HubQuota(), of: person)
      }
      #expect(refused?.obstacle == .replacedFiles)
      #expect(refused?.message.contains("UPDATE") == false)
      // Another one is no better.
      if name.isEmpty { try await FileHub(at: place.path, creates: true).close() }
    }
    if name.isEmpty { try FileManager.default.removeItem(at: moved) }
    try FileManager.default.moveItem(at: away, to: moved)
    #expect(await hub.groups().first?.failure == nil)
    try await hub.setQuota(HubQuota(), of: person)
    await hub.close()
  }

  @Test("A log that is missing or damaged concerns only its person", arguments: [true, false])
  func badLog(_ isMissing: Bool) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.path
    let first = try FileHub(at: path, creates: true)
    let (bad, device) = try await HubConformance.person(in: first)
    let good = try await HubConformance.person(in: first).0
    await first.close()
    let name = bad.description
    let place = directory.appending("people.logs/\(name.suffix(2))/\(name)")
    if isMissing {
      try FileManager.default.removeItem(at: place)
    } else {
      try Data(repeating: 7, count: 8192).write(to: place.appending(path: "log.sqlite"))
    }
    let hub = try FileHub(at: path)
    let people = try await hub.people(after: nil, limit: 3)
    #expect(people.count == 2)
    #expect(people.filter { $0.problem != nil }.map(\.id) == [bad])
    let positions = try await hub.positions(of: [bad, good])
    #expect(Array(positions.keys) == [good])
    // The device has access, and must not hear that it has none.
    #expect(try await logErrorCode { _ = try await hub.device(digest: device.digest) } == .corrupt)
    try await hub.setQuota(HubQuota(devices: 2), of: bad)
    _ = try await hub.erase(bad)
    #expect(try await hub.person(bad) == nil)
    #expect(!FileManager.default.fileExists(atPath: place.path))
    await hub.close()
  }

  @Test("More people than logs may be open are served")
  func many() async throws {
    let directory = try TemporaryDirectory()
    let hub = try FileHub(at: directory.url.path, creates: true)
    var people: [StoreID] = []
    for _ in 0..<70 {
      let person = StoreID.random()
      try await hub.add(person, quota: HubQuota())
      people.append(person)
    }
    for round in 1...2 {
      for person in people {
        var history = EventHistory(.random())
        try await HubConformance.append(history.run(count: 1), to: person, in: hub)
        #expect(try await hub.person(person)?.eventCount == UInt64(round))
      }
    }
    await hub.close()
  }
}
#endif
