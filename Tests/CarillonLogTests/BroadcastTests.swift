import CarillonLog
import Synchronization
import Testing

struct BroadcastTests {
  @Test("A slow consumer receives only the newest value")
  func newest() async {
    let broadcast = Broadcast<Int>()
    var iterator = broadcast.stream(startingWith: 0).makeAsyncIterator()
    #expect(await iterator.next() == 0)
    for value in 1...3 { broadcast.yield(value) }
    #expect(await iterator.next() == 3)
    broadcast.yield(4)
    broadcast.finish()
    #expect(await iterator.next() == 4)
    #expect(await iterator.next() == nil)
  }

  @Test("A value for an owner, and an end for it, are only for its streams")
  func owners() async {
    let broadcast = Broadcast<Int>()
    let (one, other) = (BroadcastTests.Owner(), BroadcastTests.Owner())
    var ended = broadcast.stream(for: one).makeAsyncIterator()
    var going = broadcast.stream(for: other).makeAsyncIterator()
    broadcast.yield(0, for: one)
    #expect(await ended.next() == 0)
    broadcast.finish(for: one)
    broadcast.yield(1)
    #expect(await ended.next() == nil)
    #expect(await going.next() == 1)
    broadcast.finish()
    #expect(broadcast.isUnheard)
  }

  @Test(
    "A source runs once for all streams, only while there is one, and ends them when it returns")
  func source() async {
    let runs = Mutex<[AsyncStream<Int>.Continuation]>([])
    let broadcast = Broadcast<Int> { send in
      let (values, continuation) = AsyncStream.makeStream(of: Int.self)
      runs.withLock { $0.append(continuation) }
      send(0)
      for await value in values { send(value) }
    }
    #expect(runs.withLock(\.count) == 0)
    do {
      var first = broadcast.stream().makeAsyncIterator()
      #expect(await first.next() == 0)
      var second = broadcast.stream(startingWith: -1).makeAsyncIterator()
      #expect(await second.next() == -1)
      runs.withLock { _ = $0[0].yield(1) }
      #expect(await first.next() == 1)
      #expect(await second.next() == 1)
      #expect(runs.withLock(\.count) == 1)
    }
    // The streams were released, so the next one runs the source again.
    var third = broadcast.stream().makeAsyncIterator()
    #expect(await third.next() == 0)
    #expect(runs.withLock(\.count) == 2)
    runs.withLock { $0[1].finish() }
    #expect(await third.next() == nil)
  }

  private final class Owner {}
}
