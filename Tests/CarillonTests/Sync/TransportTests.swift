import Carillon
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import Foundation
import Synchronization
import Testing

/// Syncs of two real stores over transports of several kinds.
@Suite(.timeLimit(.minutes(30)))
struct TransportTests {
  @Test("Over a pipe, the responder answers until the initiator closes the transport")
  func pipe() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      _ = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      let (near, far) = try PipeTransport.pair()
      async let answering = watch.answer(over: far)
      let first = try await phone.sync(over: near)
      #expect(first.method == .vector && first.eventsSent == 3)
      _ = try await watch.add(Habit("Read", .daily(at: ["20:00"], unless: .done)))
      let second = try await phone.sync(over: near)
      #expect(second.eventsReceived == 3)
      #expect(try await phone.sync(over: near).method == .equal)
      await near.close()
      let answered = try await answering
      await far.close()
      #expect(answered.eventsReceived == 3 && answered.messages == 10)
      #expect(answered.bytesReceived == first.bytesSent + second.bytesSent + 45)
      #expect(try await phone.difference(from: watch).isEmpty)
    }
  }

  @Test("A store behind a pipe is cloned, and a failed clone leaves nothing behind")
  func clone() async throws {
    try await withStore { phone, clock in
      _ = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      try await withTemporaryDirectory { directory in
        func clone(_ name: String, over transport: PipeTransport) async throws -> Store {
          try await Store.clone(
            over: transport, at: directory.appending(path: name), replica: name, role: .watch,
            options: .test(clock)
          ).store
        }
        let (near, far) = try PipeTransport.pair(naming: phone.id)
        async let answering = phone.answer(over: far)
        let watch = try await clone("watch", over: near)
        #expect(try await phone.difference(from: watch).isEmpty)
        #expect(try await near.peerStore() == phone.id)
        await near.close()
        _ = try await answering
        await far.close()
        await watch.close()
        for (store, message, code) in [
          (nil, [1], .protocolViolation), (phone.id, nil, .unreachable),
          (phone.id, [1], .protocolViolation),
        ] as [(StoreID?, [UInt8]?, StoreError.Code)] {
          let (near, far) = try PipeTransport.pair(naming: store)
          if let message { try await far.send(message) } else { await far.close() }
          let error = await #expect(throws: StoreError.self) {
            _ = try await clone("second", over: near)
          }
          #expect(error?.code == code, "\(String(describing: error))")
          await near.close()
          await far.close()
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(left == ["watch"])
      }
    }
  }

  @Test(
    "Over a transport that loses, repeats and reorders messages, two stores become equal",
    arguments: TestSeed.first(10))
  func lossy(seed: UInt64) async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let habit = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      for day in 1...28 {
        clock.advance(seconds: 60)
        let date = try #require(CivilDate("2026-10-\(day < 10 ? "0" : "")\(day)"))
        try await phone.markDone(habit.id, on: .date(date))
      }
      _ = try await watch.add(Habit("Read", .daily(at: ["20:00"], unless: .done)))
      let transport = MessageTransport(to: watch, faults: .watch, seed: seed)
      try await phone.sync(over: transport, options: SyncOptions(maxMessageBytes: 20_000))
      #expect(try await phone.difference(from: watch).isEmpty, "seed \(seed)")
      #expect(transport.greatest <= 20_000)
    }
  }

  @Test("Any process can answer any message, even one that was already answered")
  func stateless() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      _ = try await watch.add(Habit("Read", .daily(at: ["20:00"], unless: .done)))
      let transport = MessageTransport(to: watch)
      try await phone.sync(over: transport)
      let sent = transport.sent
      #expect(sent.count == 2)
      for message in sent.reversed() + sent {
        #expect(try await !watch.answer(to: message).isEmpty)
      }
      #expect(try await phone.difference(from: watch).isEmpty)
    }
  }

  @Test("Bytes that are not a message are answered with a refusal")
  func anything() async throws {
    try await withStore { store, _ in
      for seed in 0..<100 as Range<UInt64> {
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<Int(generator.next() % 300)).map { _ in
          UInt8(truncatingIfNeeded: generator.next())
        }
        #expect(try await !store.answer(to: bytes).isEmpty, "seed \(seed)")
      }
      let large = [UInt8](repeating: 0, count: 60_001)
      let refusal = try await store.answer(to: large)
      #expect(String(decoding: refusal, as: UTF8.self).contains("60001"))
    }
  }

  @Test("A sync over a transport that fails, ends or stays silent throws unreachable")
  func unreachable() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      struct Broken: Error {}
      let transports: [MessageTransport] = [
        MessageTransport(to: watch, arrival: { throw Broken() }),
        MessageTransport(to: watch) { .closed },
        MessageTransport(to: watch) { .quiet },
      ]
      for transport in transports {
        let error = await #expect(throws: StoreError.self) { try await phone.sync(over: transport) }
        #expect(error?.code == .unreachable)
      }
      #expect(phone.syncStatus.state == .failed)
      #expect(phone.syncStatus.lastError?.code == .unreachable)
    }
  }

  @Test("A cancelled sync over a silent pipe ends immediately")
  func cancelled() async throws {
    try await withStore { store, _ in
      let (near, far) = try PipeTransport.pair()
      let task = Task { try await store.sync(over: near) }
      guard case .message = try await far.receive() else { throw CancellationError() }
      task.cancel()
      let error = await #expect(throws: StoreError.self) { _ = try await task.value }
      #expect(error?.code == .cancelled)
      #expect(store.syncStatus.state == .idle)
      await near.close()
      await far.close()
    }
  }

  @Test("An unrelated store is refused, and the error names the way to join the two")
  func otherStore() async throws {
    try await withStore { left, _ in
      try await withStore { right, _ in
        let error = await #expect(throws: StoreError.self) {
          try await left.sync(over: MessageTransport(to: right))
        }
        #expect(error?.code == .otherStore)
      }
    }
  }

  @Test("The status follows each sync from its start to its report, and ends with the store")
  func status() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      _ = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      #expect(phone.syncStatus.state == .idle && phone.syncStatus.lastReport == nil)
      var updates = phone.syncStatusUpdates().makeAsyncIterator()
      #expect(await updates.next()?.state == .idle)
      let seen = Mutex<[SyncStatus.State]>([])
      let report = try await phone.sync(with: watch) { _ in
        seen.withLock { $0.append(phone.syncStatus.state) }
      }
      #expect(seen.withLock { !$0.isEmpty && $0.allSatisfy { $0 == .syncing } })
      let last = await updates.next()
      #expect(last?.state == .idle && last?.lastReport == report)
      #expect(last?.progress.eventsSent == 3)
      await phone.close()
      #expect(await updates.next() == nil)
    }
  }
}
