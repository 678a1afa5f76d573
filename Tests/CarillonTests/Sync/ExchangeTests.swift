import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import Foundation
import Synchronization
import Testing

@testable import Carillon

/// Syncs through an exchange of one message at a time, as over HTTP.
@Suite(.timeLimit(.minutes(30)))
struct ExchangeTests {
  @Test("A sync through an exchange makes both stores equal, and a second one finds nothing to do")
  func sync() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      _ = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      _ = try await watch.add(Habit("Read", .daily(at: ["20:00"], unless: .done)))
      let report = try await phone.sync(through: AnsweringExchange(watch))
      #expect(report.eventsSent > 0 && report.eventsReceived > 0)
      #expect(try await phone.difference(from: watch).isEmpty)
      #expect(try await phone.sync(through: AnsweringExchange(watch)).method == .equal)
    }
  }

  @Test(
    "Lost messages and lost answers are sent again until both stores are equal",
    arguments: TestSeed.first(5))
  func losses(seed: UInt64) async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      for number in 1...40 { _ = try await phone.add(Habit("Habit \(number)")) }
      _ = try await watch.add(Habit("Read", .daily(at: ["20:00"], unless: .done)))
      let exchange = AnsweringExchange(watch, losing: 0.4, seed: seed)
      _ = try await phone.sync(
        over: ExchangeTransport(exchange, firstPause: .zero),
        options: SyncOptions(maxMessageBytes: 20_000))
      #expect(try await phone.difference(from: watch).isEmpty)
    }
  }

  @Test("An exchange that always fails ends the sync with its error after nine attempts")
  func failing() async throws {
    try await withPhoneAndWatch { phone, _, _ in
      let exchange = FailingExchange { throw CocoaError(.fileReadUnknown) }
      let error = await #expect(throws: StoreError.self) {
        try await phone.sync(over: ExchangeTransport(exchange, firstPause: .zero))
      }
      #expect(error?.code == .unreachable && error?.message.contains("9 attempts") == true)
      #expect(exchange.count == 9)
    }
  }

  @Test("An error of the store's kind ends the sync at once, and a cancelled task ends too")
  func denied() async throws {
    try await withPhoneAndWatch { phone, _, _ in
      let exchange = FailingExchange { throw StoreError(code: .denied, message: "revoked") }
      let error = await #expect(throws: StoreError.self) {
        try await phone.sync(through: exchange)
      }
      #expect(error?.code == .denied && exchange.count == 1)
      let silent = FailingExchange { throw CocoaError(.fileReadUnknown) }
      let task = Task { try await phone.sync(through: silent) }
      while silent.count == 0 { await Task.yield() }
      task.cancel()
      let cancelled = await #expect(throws: StoreError.self) { try await task.value }
      #expect(cancelled?.code == .cancelled)
    }
  }

  @Test("Endless answers that say nothing end the sync")
  func endless() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      _ = try await phone.add(Habit("Walk"))
      let exchange = FailingExchange { [] }
      let error = await #expect(throws: StoreError.self) {
        try await phone.sync(over: ExchangeTransport(exchange, firstPause: .zero))
      }
      #expect(error != nil && exchange.count < 1_000)
    }
  }
}

/// Passes messages to a store, and loses some of them, or of the answers, by a seed.
private final class AnsweringExchange: SyncExchange {
  private struct Lost: Error {}

  private let store: Store
  private let probability: Double
  private let generator: Mutex<SeededGenerator>

  init(_ store: Store, losing probability: Double = 0, seed: UInt64 = 0) {
    (self.store, self.probability) = (store, probability)
    generator = Mutex(SeededGenerator(seed: seed))
  }

  func answer(to message: [UInt8]) async throws -> [UInt8] {
    try lose()
    let answer = try await store.answer(to: message)
    try lose()
    return answer
  }

  private func lose() throws {
    let value = generator.withLock { Double.random(in: 0..<1, using: &$0) }
    if value < probability { throw Lost() }
  }
}

/// Answers every message in the same way.
private final class FailingExchange: SyncExchange {
  private let result: @Sendable () throws -> [UInt8]
  private let calls = Atomic(0)

  init(_ result: @escaping @Sendable () throws -> [UInt8]) {
    self.result = result
  }

  var count: Int { calls.load(ordering: .relaxed) }

  func answer(to message: [UInt8]) async throws -> [UInt8] {
    calls.add(1, ordering: .relaxed)
    return try result()
  }
}
