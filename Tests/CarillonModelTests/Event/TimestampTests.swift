import Testing

@testable import CarillonModel

@Suite struct TimestampTests {
  private let clock = Instant(milliseconds: 1_795_000_000_000)

  @Test("A clock ahead of the log gives its own millisecond, with counter 0")
  func ahead() throws {
    let next = try Timestamp.next(wallClock: clock, after: Timestamp(milliseconds: 5))
    #expect(next == Timestamp(milliseconds: clock.milliseconds))
    #expect(try Timestamp.next(wallClock: clock, after: nil) == next)
    #expect(next.milliseconds == clock.milliseconds)
  }

  @Test("A clock at or behind the log gives one more than the log's greatest")
  func behind() throws {
    for ahead in [Int64(0), 1, 1_000_000] {
      let greatest = Timestamp(milliseconds: clock.milliseconds + ahead)
      let next = try Timestamp.next(wallClock: clock, after: greatest)
      #expect(next.rawValue == greatest.rawValue + 1)
    }
  }

  @Test("A clock out of range is refused", arguments: [Int64.min, -1, 1 << 45, Int64.max])
  func refused(milliseconds: Int64) {
    let error = #expect(throws: ModelError.self) {
      try Timestamp.next(wallClock: Instant(milliseconds: milliseconds), after: nil)
    }
    #expect(error?.code == .clockExhausted)
    #expect(error?.message.contains("\(milliseconds)") == true)
  }

  @Test("The last millisecond in range is accepted")
  func last() throws {
    let last = Instant(milliseconds: 1 << 45 - 1)
    #expect(try Timestamp.next(wallClock: last, after: nil).milliseconds == last.milliseconds)
  }

  @Test("A top bit is never written")
  func topBit() {
    #expect(
      Timestamp(rawValue: 1 << 63).isExhausted && !Timestamp(rawValue: 1 << 63 - 1).isExhausted)
    #expect(throws: ModelError.self) {
      try Timestamp.next(wallClock: clock, after: Timestamp(rawValue: 1 << 63 - 1))
    }
  }
}
