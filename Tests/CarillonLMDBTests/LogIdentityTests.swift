import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Which directories keep their identity and which take a new one.
struct LogIdentityTests {
  @Test("A copied directory takes a new identity, announces it, and continues the log")
  func copied() async throws {
    let fixture = try LogFixture()
    let original = try fixture.create()
    try await original.record("a")
    await original.close()
    let copy = fixture.directory.appending("copy")
    try FileManager.default.copyItem(at: fixture.url, to: copy)
    let new = ReplicaID(high: 5, low: 5)
    var options = LMDBLogOptions()
    options.makeReplicaID = { new }
    let log = try LMDBEventLog.open(at: copy, options: options)
    let unstated = ReplicaIdentity(
      replica: new, predecessor: fixture.replica, isAnnounced: false)
    #expect(try log.identity() == unstated)
    log.setIdentityAnnouncement { identity in
      [NewEvent(payload: Array("was \(identity.predecessor == unstated.predecessor)".utf8))]
    }
    let recorded = try await log.record("b")
    #expect(recorded.replica == new)
    #expect(recorded.events.map(\.sequence.rawValue) == [2])
    #expect(try log.texts() == ["a", "was true", "b"])
    #expect(try log.identity().isAnnounced)
    #expect(try log.verify() == [])
    await log.close()
    let again = try LMDBEventLog.open(at: copy)
    #expect(try again.identity().replica == new)
    await again.close()
  }

  @Test("A copy of a copy that never wrote has the last writing replica as predecessor")
  func copiedTwice() async throws {
    let fixture = try LogFixture()
    let original = try fixture.create()
    try await original.record("a")
    await original.close()
    let copies = ["one", "two"].map(fixture.directory.appending)
    try FileManager.default.copyItem(at: fixture.url, to: copies[0])
    try await LMDBEventLog.open(at: copies[0]).close()
    try FileManager.default.copyItem(at: copies[0], to: copies[1])
    let log = try LMDBEventLog.open(at: copies[1])
    #expect(try log.identity().predecessor == fixture.replica)
    await log.close()
  }

  @Test("A moved directory keeps its identity")
  func moved() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    try await log.record("a")
    await log.close()
    let elsewhere = fixture.directory.appending("elsewhere")
    try FileManager.default.moveItem(at: fixture.url, to: elsewhere)
    let moved = try LMDBEventLog.open(at: elsewhere)
    let kept = ReplicaIdentity(replica: fixture.replica, predecessor: nil, isAnnounced: true)
    #expect(try moved.identity() == kept)
    await moved.close()
  }

  @Test("A directory without a marker counts as a copy")
  func withoutMarker() async throws {
    let fixture = try LogFixture()
    try await fixture.create().close()
    try FileManager.default.removeItem(at: fixture.url.appendingPathComponent("log/identity"))
    let log = try fixture.open()
    #expect(try log.identity().predecessor == fixture.replica)
    await log.close()
  }
}
