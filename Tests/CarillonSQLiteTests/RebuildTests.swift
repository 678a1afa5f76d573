import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import CarillonWire
import Foundation
import Synchronization
import Testing

struct RebuildTests {
  @Test("A rebuild switches to the next generation, removes the old file, and keeps the digest")
  func generations() async throws {
    let history = try History(seed: 1, count: 200)
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      let before = try await projections.digest()
      #expect(try fixture.files() == [Fixture.fileName(1)])
      #expect(try await projections.rebuild() == 200)
      #expect(try fixture.files() == [Fixture.fileName(2)])
      #expect(try await projections.digest() == before)
      await projections.close()
    }
  }

  @Test("A handle continues during another handle's rebuild and then uses the new generation")
  func twoHandles() async throws {
    let history = try History(seed: 2, count: 3_000)
    try await Fixture.run(history.events) { fixture in
      let (one, other) = (try await fixture.open(), try await fixture.open())
      let expected = ReferenceFold(history.events).state()
      async let rebuilt: Void = {
        for _ in 0..<3 { _ = try await one.rebuild() }
      }()
      for _ in 0..<30 { #expect(try await other.state() == expected) }
      try await rebuilt
      #expect(try fixture.files() == [Fixture.fileName(4)])
      // The other handle sees a change in the new file.
      try fixture.change(4, "UPDATE habit_field SET value = 'Changed' WHERE field = 2")
      let titles = try await other.read { try $0.habits().map(\.title) }
      #expect(Set(titles) == ["Changed"])
      await one.close()
      await other.close()
    }
  }

  @Test("Events that are appended during a rebuild are not lost")
  func eventsMeanwhile() async throws {
    let history = try History(seed: 3, count: 400)
    try await Fixture.run(Array(history.events.prefix(200))) { fixture in
      let projections = try await fixture.open()
      let isFirst = Atomic(true)
      let log = fixture.log
      let events = try await projections.rebuild { _, _ in
        if isFirst.exchange(false, ordering: .relaxed) {
          log.arrive(Array(history.events.dropFirst(200)))
        }
      }
      #expect(events == 400)
      #expect(try await projections.state() == ReferenceFold(history.events).state())
      await projections.close()
    }
  }

  @Test("A cancelled rebuild leaves the file in use and its digest unchanged")
  func cancelled() async throws {
    let history = try History(seed: 4, count: 500)
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      let before = try await projections.read { try $0.stateDigest() }
      let task = Task {
        try await projections.rebuild { _, _ in withUnsafeCurrentTask { $0?.cancel() } }
      }
      task.cancel()
      let error = await #expect(throws: ProjectionError.self) { try await task.value }
      #expect(error?.code == .cancelled)
      #expect(try fixture.files() == [Fixture.fileName(1)])
      #expect(try await projections.read { try $0.cachedDigest() } == before)
      #expect(try await projections.digest() == before)
      await projections.close()
    }
  }

  @Test("Opening the store removes the files of an interrupted rebuild")
  func interrupted() async throws {
    try await Fixture.run(try History(seed: 5, count: 20).events) { fixture in
      await (try await fixture.open()).close()
      for name in [
        Fixture.fileName(2), Fixture.fileName(2) + "-wal", "projection-v1-g1.sqlite",
      ] {
        try Data("half".utf8).write(to: fixture.directory.appending(path: name))
      }
      let projections = try await fixture.open()
      #expect(try fixture.files() == [Fixture.fileName(1)])
      _ = try await projections.rebuild()
      #expect(try fixture.files() == [Fixture.fileName(2)])
      await projections.close()
    }
  }

  @Test("Opening the store leaves a file alone that another handle is building")
  func notInterrupted() async throws {
    let history = try History(seed: 6, count: 50)
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      let seen = Mutex<[String]>([])
      _ = try await projections.rebuild { _, _ in
        let opening = DispatchSemaphore(value: 0)
        Task {
          if let other = try? await fixture.open() { await other.close() }
          opening.signal()
        }
        opening.wait()
        seen.withLock { $0 = (try? fixture.files()) ?? [] }
      }
      #expect(seen.withLock { $0 } == [Fixture.fileName(1), Fixture.fileName(2)])
      await projections.close()
    }
  }

  @Test("The digest until an instant is the digest at that moment, and leaves no files")
  func until() async throws {
    // An erasure affects every earlier moment, so the history must not contain any.
    let history = try #require(
      try (7...100).lazy.map { try History(seed: $0, count: 120) }.first { !$0.erases })
    try await Fixture.run { fixture in
      let projections = try await fixture.open()
      var recorded: [Int: StateDigest] = [:]
      for (index, event) in history.events.enumerated() {
        fixture.log.arrive([event])
        if index.isMultiple(of: 17) { recorded[index] = try await projections.digest() }
      }
      for (index, digest) in recorded {
        let moment = Instant(milliseconds: history.events[index].timestamp.milliseconds)
        let until = try await projections.digest(until: moment)
        #expect(until.digest == digest)
        #expect(until.events == UInt64(index + 1))
        let state = try await projections.state(asOf: moment, range: nil)
        #expect(state == ReferenceFold(Array(history.events[...index])).state())
      }
      #expect(try fixture.files() == [Fixture.fileName(1)])
      await projections.close()
    }
  }

  @Test("The stored digest is valid only for its checkpoint")
  func keptDigest() async throws {
    var history = try History(seed: 8, count: 30)
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      #expect(try await projections.read { try $0.cachedDigest() } == nil)
      let digest = try await projections.read { try $0.stateDigest() }
      #expect(try await projections.read { try $0.cachedDigest() } == digest)
      #expect(try await projections.digest() == digest)
      fixture.log.arrive([try history.add(.appActive(AppActive(date: CivilDate(rawValue: 9))))])
      #expect(try await projections.read { try $0.cachedDigest() } == nil)
      await projections.close()
    }
  }
}

extension History {
  /// Whether one of the events is an erasure.
  fileprivate var erases: Bool {
    events.contains { event in
      if case .dataErased? = try? PayloadCoding.decode(event.payload) { true } else { false }
    }
  }
}
