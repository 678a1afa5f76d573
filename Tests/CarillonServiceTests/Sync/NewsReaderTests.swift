#if Service
import Testing

@testable import CarillonLink

/// How the news of a service are read from any bytes.
@Suite struct NewsReaderTests {
  @Test("Each event is news, wherever the pieces of the stream are cut, and a comment is none")
  func pieces() {
    let stream = Array(": open\nretry: 1000\n\ndata: {}\n\n:\n\ndata: {\"position\":2}\n\n".utf8)
    for size in 1...16 {
      var reader = NewsReader()
      var count = 0
      for start in stride(from: 0, to: stream.count, by: size) {
        count += reader.take(stream[start..<min(start + size, stream.count)]) ? 1 : 0
      }
      #expect(count == 2, "pieces of \(size)")
    }
  }

  @Test("A line without an end is not kept, and is no news")
  func endless() {
    var reader = NewsReader()
    for _ in 1...1_000 {
      let hasNews = reader.take([UInt8](repeating: 0x64, count: 10_000))
      #expect(!hasNews)
    }
  }

  @Test(
    "A stream counts as broken after 2.5 heartbeats, or after 20 seconds if that is enough",
    arguments: [(1, 2.5), (8, 20), (15, 20), (16, 20), (17, 42.5), (60, 150), (0, 20), (9_999, 20)])
  func silence(heartbeat: Int, seconds: Double) {
    var reader = NewsReader()
    _ = reader.take("data: {\"heartbeatSeconds\":\(heartbeat)}\n".utf8)
    #expect(reader.silence == .seconds(seconds))
  }
}
#endif
