import Carillon
import Testing

@testable import CarillonCLI

/// When `watch` tries a refused notification again, and what it says.
struct RefusedNotificationsTests {
  private let walk = NotificationID("walk")
  private let tea = NotificationID("tea")

  private func instant(_ seconds: Int64) -> Instant { Instant(milliseconds: seconds * 1_000) }

  @Test("The wait doubles from 15 seconds to 15 minutes, and starts over once it was shown")
  func waits() {
    var refused = RefusedNotifications()
    var now: Int64 = 0
    var waits: [Int64] = []
    for _ in 0..<9 {
      _ = refused.refuse(walk, for: "no bus", at: instant(now))
      let next = (refused.nextTry?.milliseconds ?? 0) / 1_000
      #expect(refused.isWaiting(walk, at: instant(next - 1)))
      #expect(!refused.isWaiting(walk, at: instant(next)))
      waits.append(next - now)
      now = next
    }
    #expect(waits == [15, 30, 60, 120, 240, 480, 900, 900, 900])
    refused.accept(walk)
    #expect(refused.nextTry == nil && !refused.isWaiting(walk, at: instant(now)))
    _ = refused.refuse(walk, for: "no bus", at: instant(now))
    #expect(refused.nextTry == instant(now + 15))
  }

  @Test("A reason is new if it differs from the last one, or if a notification was shown since")
  func reasons() {
    var refused = RefusedNotifications()
    let answers = [(walk, "no bus"), (tea, "no bus"), (walk, "no server"), (tea, "no server")]
      .map { refused.refuse($0, for: $1, at: instant(0)) }
    #expect(answers == [true, false, true, false])
    refused.accept(tea)
    let isNew = refused.refuse(walk, for: "no server", at: instant(0))
    #expect(isNew)
  }

  @Test("A clock that is set back does not make a wait longer")
  func clock() {
    var refused = RefusedNotifications()
    _ = refused.refuse(walk, for: "no bus", at: instant(10_000))
    #expect(!refused.isWaiting(walk, at: instant(0)))
    #expect(refused.isWaiting(walk, at: instant(10_005)))
  }

  @Test("A notification that is no longer due is forgotten")
  func forgotten() {
    var refused = RefusedNotifications()
    _ = refused.refuse(walk, for: "no bus", at: instant(0))
    _ = refused.refuse(tea, for: "no bus", at: instant(5))
    refused.keep([tea])
    #expect(refused.nextTry == instant(20) && !refused.isWaiting(walk, at: instant(1)))
  }
}
