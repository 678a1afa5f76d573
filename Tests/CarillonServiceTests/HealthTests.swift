#if Service
import CarillonTestSupport
import Foundation
import Testing

/// What the service says about itself.
@Suite struct HealthTests {
  @Test("A store that can be used is ready, and each check says so")
  func ready() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let answer = try await service.ask("GET", "/readyz")
    #expect(answer.status == 200 && answer.body.hasPrefix("{\"ready\":true,"), "\(answer)")
    for name in ["projections", "writer", "disk", "map", "clock"] {
      #expect(answer.body.contains("{\"name\":\"\(name)\",\"ok\":true,\"problem\":null}"))
    }
  }

  @Test("An event ahead of the clock makes it unready, with the reason; all else is answered")
  func clockAhead() async throws {
    let bench = try await ServiceBench.make()
    let clone = try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    try #require(clone.status == 0, "\(clone)")
    let later = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 90.5 * 86_400))
    try await bench.run("habit", "add", "Walk", "--store", bench.path("watch"), "--now", later)
    try await bench.run("sync", bench.path("watch"))
    let service = try await bench.serve()
    let answer = try await service.ask("GET", "/readyz")
    #expect(answer.status == 503, "\(answer)")
    #expect(
      answer.body.contains("watch wrote 90 days ahead of this device's clock; set the clock"),
      "\(answer)")
    #expect(try await service.ask("GET", "/livez", []).status == 200)
    let line = #"{"type":"app.active","date":"2026-11-23"}"#
    #expect(try await service.ask("POST", "/v1/events", body: line).status == 201)
    let habits = try await service.ask("GET", "/v1/habits")
    #expect(habits.status == 200 && habits.body.contains("Walk"), "\(habits)")
    #expect(try await service.ask("GET", "/v1/pending").status == 200)
  }

  @Test("Events that the projections have not applied make it unready, once")
  func lag() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    #expect(try await service.ask("GET", "/readyz").status == 200)
    let lines = (0..<1_000).map { #"{"type":"app.active","date":"2026-11-\#(10 + $0 % 20)"}"# }
    let body = lines.joined(separator: "\n")
    #expect(try await service.ask("POST", "/v1/events", body: body).status == 201)
    let answer = try await service.ask("GET", "/readyz")
    #expect(answer.status == 503 && answer.body.contains("1000 events behind"), "\(answer)")
    #expect(try await service.ask("GET", "/readyz").status == 200)
  }

  @Test("A trace is answered as it came, and is in the log; one of another form is left out")
  func trace() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--log-level", "info")
    let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    let parent = "00-\(id)-00f067aa0ba902b7-01"
    let answer = try await service.ask("GET", "/livez", ["traceparent: \(parent)"])
    #expect(answer.headers["traceparent"] == parent && answer.headers["x-request-id"] != nil)
    let wrong = try await service.ask("GET", "/livez", ["traceparent: 00-\(id)x-1-01"])
    #expect(wrong.headers["traceparent"] == nil)
    let ended = try await service.stop()
    #expect(ended.errors.contains("\"trace\":\"\(id)\""), "\(ended)")
  }

  @Test("The age of what each replica wrote last is also known after a restart")
  func replicaAge() async throws {
    let bench = try await ServiceBench.make()
    let clone = try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    try #require(clone.status == 0, "\(clone)")
    try await bench.add("Tea", to: "watch")
    let sync = try await bench.run("sync", bench.path("watch"))
    try #require(sync.status == 0, "\(sync)")
    let service = try await bench.serve()
    let numbers = try await service.ask("GET", "/metrics").body
    let ages = numbers.matches(of: /carillon_replica_age_seconds\{replica="[0-9a-f-]+"\} (\S+)/)
    #expect(ages.count == 2, "\(numbers)")
    for age in ages { #expect(try #require(Double(age.output.1)) < 3_600, "\(numbers)") }
  }

  @Test("The numbers are Prometheus text: one type each, and no label that a client chooses")
  func numbers() async throws {
    let bench = try await ServiceBench.make()
    try await bench.run("habit", "add", "Walk", "--at", "17:00")
    let service = try await bench.serve()
    let line = #"{"type":"app.active","date":"2026-11-23"}"#
    for _ in 0..<2 {
      _ = try await service.ask(
        "POST", "/v1/events", [service.bearer, "Idempotency-Key: a"], body: line)
    }
    _ = try await service.ask("POST", "/v1/events", body: "{")
    _ = try await service.ask("POST", "/v1/events", body: line + "\n" + line + "\n{}\n")
    _ = try await service.ask("POST", "/v1/import?format=events", body: "{}\n\n{}\n")
    _ = try await service.ask("PROPFIND", "/coffee/secret")
    let answer = try await service.ask("GET", "/metrics")
    #expect(answer.headers["content-type"] == "text/plain; version=0.0.4")
    let lines = answer.body.split(separator: "\n").map(String.init)
    for line in [
      "carillon_events_appended_total 1", "carillon_batches_repeated_total 1",
      "carillon_batches_refused_total 2", "carillon_events_refused_total 6",
      "carillon_commit_seconds_count 2",
      "carillon_events_duplicate_total 1", "carillon_projection_lag_events 1.0",
      "carillon_pending_requests 1.0", "carillon_sync_errors_total 0",
      "# TYPE carillon_commit_seconds histogram", "carillon_open_streams 0.0",
    ] {
      #expect(lines.contains(line), "\(line) in \(answer.body)")
    }
    #expect(!answer.body.contains("coffee") && !answer.body.contains("PROPFIND"))
    #expect(answer.body.contains(#"route="none",method="other",status="501""#))
    let types = lines.filter { $0.hasPrefix("# TYPE") }
    #expect(Set(types).count == types.count)
    for line in lines where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: /[a-z_]+(\{[^}]*\})? (NaN|[-\d.e+]+)/) != nil, "\(line)")
    }
  }
}
#endif
