import CarillonSync
import Testing

@testable import Carillon

/// When a peer counts as stalled, with a stall interval of 4 seconds.
struct StallClockTests {
  private static let start = ContinuousClock.now

  /// Returns the first second at which the clock reports a stall, for bytes that arrive in a
  /// rhythm.
  private func stall(
    _ duty: StallClock.Duty = .send, bytes count: Int, every period: Duration, times: Int
  ) -> (seconds: Double, message: String)? {
    var clock = StallClock(duty, stallInterval: .seconds(4), at: Self.start)
    var now = Self.start
    for _ in 0..<times {
      let next = now + period
      if clock.deadline <= next, let error = clock.stall(at: clock.deadline) {
        return ((clock.deadline - Self.start) / .seconds(1), error.message)
      }
      now = next
      clock.note(count, at: now)
    }
    return nil
  }

  @Test("45 bytes, one each quarter of a second, are not a stall")
  func trickle() {
    #expect(stall(bytes: 1, every: .milliseconds(250), times: 45) == nil)
  }

  @Test("A peer that moves no bytes counts as silent since its last byte")
  func stallInterval() {
    let sent = stall(bytes: 1, every: .seconds(5), times: 1)
    #expect(sent?.seconds == 4 && sent?.message == "the peer was silent for 4 seconds")
    let read = stall(.read, bytes: 1, every: .seconds(5), times: 1)
    #expect(read?.message == "the peer read nothing for 4 seconds")
  }

  @Test(
    "A peer that moves fewer than 1,024 bytes in 10 intervals is reported with the number of bytes")
  func slow() {
    let slow = stall(bytes: 1, every: .seconds(1), times: 1_000)
    #expect(slow?.seconds == 40)
    #expect(
      slow?.message
        == "the peer sent only 39 bytes in 40 seconds; at least 1024 are expected")
    #expect(stall(bytes: 103, every: .milliseconds(3_900), times: 50) == nil)
  }

  @Test("A message incomplete after 60 intervals ends the transport, however fast its bytes arrive")
  func whole() {
    let endless = stall(bytes: 1_024, every: .seconds(1), times: 1_000)
    #expect(endless?.seconds == 240)
    #expect(
      endless?.message == "the peer did not send a whole message within 240 seconds")
  }

  @Test("A complete message restarts all limits")
  func restart() {
    var clock = StallClock(.send, stallInterval: .seconds(4), at: Self.start)
    clock.restart(at: Self.start + .seconds(100))
    #expect(clock.deadline == Self.start + .seconds(104))
  }
}
