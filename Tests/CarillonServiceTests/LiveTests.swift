#if Service
import Foundation
import Testing

/// The live stream of documents.
@Suite struct LiveTests {
  @Test("The documents come at once, and each again when it has news")
  func news() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let live = try await service.stream("/v1/live")
    var first: [StreamEvent] = []
    for _ in 0..<3 { first.append(try #require(await live.next())) }
    #expect(first.map(\.name) == ["pending", "habits", "status"])
    #expect(first.allSatisfy { $0.id == "1" })
    #expect(first[1].data == #"{"habits":[]}"#)
    // What the command line writes appears without another request.
    try await bench.run("habit", "add", "Walk", "--at", "17:00")
    var names: Set<String> = []
    while names.count < 3 {
      let event = try #require(await live.next())
      if event.data.contains("Walk") || event.name == "status" { names.insert(event.name) }
      #expect(event.id.flatMap { Int($0) } ?? 0 > 1)
    }
    #expect(names == ["pending", "habits", "status"])
  }

  @Test("Many streams see the same news")
  func manyStreams() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    var streams: [EventReader] = []
    for _ in 0..<50 {
      let stream = try await service.stream("/v1/live")
      for _ in 0..<3 { _ = await stream.next() }
      streams.append(stream)
    }
    try await bench.run("habit", "add", "Walk")
    for stream in streams {
      while let event = await stream.next(), !event.data.contains("Walk") {}
    }
    let metrics = try await service.ask("GET", "/metrics").body
    #expect(metrics.contains("carillon_open_streams 50.0\n"), "\(metrics)")
    streams = []
    while try await !service.ask("GET", "/metrics").body.contains("carillon_open_streams 0.0\n") {
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
#endif
