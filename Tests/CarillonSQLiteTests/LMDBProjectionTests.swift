import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import CarillonWire
import Foundation
import Testing

/// The projections of a log on LMDB.
struct LMDBProjectionTests {
  @Test("Recorded events are projected, also after a restart and a rebuild")
  func life() async throws {
    try await Fixture.run { fixture in
      let log = try LMDBEventLog.create(
        at: fixture.directory, storeID: .random(), replica: .random())
      let projections = try await SQLiteProjections.open(at: fixture.directory, log: log)
      let empty = try await projections.digest()
      var generator = PayloadGenerator(SeededGenerator(seed: 31))
      for _ in 0..<20 {
        let payloads = (0..<15).map { _ in generator.next() }
        let events = try payloads.map { NewEvent(payload: try generator.encode($0)) }
        let clock = Instant(milliseconds: History.start)
        let outcome = try await log.record(events, wallClock: clock, expecting: nil)
        guard case .recorded(let recorded) = outcome else { continue }
        for (payload, event) in zip(payloads, recorded.events) {
          generator.observe(payload, as: event.id)
        }
        #expect(try await projections.catchUp() == recorded.events.last?.position)
      }
      let expected = try fold(log)
      #expect(try await projections.state() == expected.state())
      let digest = try await projections.digest()
      #expect(digest != empty)
      #expect(try await projections.rebuild() == 300)
      #expect(try await projections.check() == nil)
      await projections.close()
      await log.close()
      let reopened = try LMDBEventLog.open(at: fixture.directory)
      #expect(try reopened.projectionGeneration() == 2)
      let again = try await SQLiteProjections.open(at: fixture.directory, log: reopened)
      #expect(try await again.digest() == digest)
      #expect(try fixture.files() == [Fixture.fileName(2)])
      await again.close()
      await reopened.close()
    }
  }

  private func fold(_ log: LMDBEventLog) throws -> ReferenceFold {
    var fold = ReferenceFold()
    try log.scan(after: .start) { event in
      fold.apply(event.event)
      return true
    }
    return fold
  }

  @Test("A decision inside the write transaction reads the projections' newest state")
  func decidingAlone() async throws {
    try await Fixture.run { fixture in
      let replica = ReplicaID(high: 7, low: 1)
      let log = try LMDBEventLog.create(
        at: fixture.directory, storeID: .random(), replica: replica)
      let projections = try await SQLiteProjections.open(at: fixture.directory, log: log)
      // One event for each day, however often it is requested.
      for day: Int32 in [0, 0, 1, 0, 1] {
        _ = try await log.record(wallClock: Instant(milliseconds: History.start)) {
          let date = CivilDate(rawValue: day)
          let last = try projections.readSynchronously { try $0.lastActive(of: replica) }
          if let last, last >= date { return [] }
          return [NewEvent(payload: try PayloadCoding.encode(.appActive(AppActive(date: date))))]
        }
      }
      #expect(try log.lastPosition() == LogPosition(rawValue: 2))
      #expect(try await projections.state().lastActive == CivilDate(rawValue: 1))
      await projections.close()
      await log.close()
    }
  }
}
