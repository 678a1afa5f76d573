import CarillonTesting
import Foundation
import Synchronization
import Testing

@testable import Carillon

/// The reports of a responder on a pipe that its log has grown.
@Suite(.timeLimit(.minutes(30)))
struct PipeNewsTests {
  @Test("An initiator that asks for news gets each report, and the messages between them")
  func news() async throws {
    let (near, far) = try Self.pair(asking: true)
    #expect(try await far.isAskedForNews())
    try await far.reportNews()
    try await far.send([1, 2, 3])
    try await far.reportNews()
    #expect(try await near.receive() == .message([1, 2, 3]))
    while near.newsCount < 2 { await Task.yield() }
    await far.close()
    // The end counts as a report, since it is a reason to look.
    while near.newsCount < 3 { await Task.yield() }
    #expect(try await near.receive() == .closed)
    await near.close()
  }

  @Test("An initiator that does not ask for news is not sent any, and refuses them")
  func notAsked() async throws {
    let (near, far) = try Self.pair(asking: false)
    #expect(try await !far.isAskedForNews())
    try await far.reportNews()
    let error = await #expect(throws: (any Error).self) { try await near.receive() }
    #expect("\(String(describing: error))".contains("a frame without a message"))
    await near.close()
    await far.close()
  }

  @Test("Stores sync over a pipe while reports arrive")
  func sync() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      _ = try await phone.add(Habit("Walk"))
      let (near, far) = try Self.pair(asking: true)
      async let answering = watch.answer(over: far)
      let flood = Task {
        while !Task.isCancelled { try await far.reportNews() }
      }
      for number in 1...20 {
        _ = try await watch.add(Habit("Habit \(number)"))
        _ = try await phone.sync(over: near)
      }
      #expect(try await phone.difference(from: watch).isEmpty)
      await near.close()
      _ = try await answering
      flood.cancel()
      await far.close()
    }
  }

  private static func pair(asking: Bool) throws -> (near: PipeTransport, far: PipeTransport) {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let near =
      if asking {
        try PipeTransport(
          reading: ends[0], writing: ends[0], stallInterval: .seconds(60), onNews: {})
      } else {
        try PipeTransport(reading: ends[0], writing: ends[0])
      }
    return (near, try PipeTransport(reading: ends[1], writing: ends[1]))
  }
}
