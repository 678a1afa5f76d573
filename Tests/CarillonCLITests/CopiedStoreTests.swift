import Testing

/// A store directory that was copied by hand.
struct CopiedStoreTests {
  @Test("A query on a copied directory writes nothing")
  func queries() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try bench.copy("phone", to: "copy")
    let before = try await bench.log("copy")
    let queries = [
      ["pending"], ["status"], ["replicas"], ["habit", "list"], ["habit", "show", "Walk"],
      ["explain", "Walk"], ["permission"], ["show", "phone@1"], ["log"], ["export"], ["verify"],
      ["rebuild", "--check"], ["pending", "--zone", "Asia/Tokyo"],
    ]
    for query in queries {
      let answer = try await bench.startPlain(
        query + ["--now", Workbench.now], store: "copy"
      ).answer()
      #expect(answer.status == 0, "\(query) \(answer)")
    }
    #expect(try await bench.log("copy") == before)
  }

  @Test("A copied directory goes on under an identity of its own")
  func identity() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let original = try #require(try await bench.json("status")["replica"]?["id"]?.text)
    try bench.copy("phone", to: "copy")
    let writing = try await bench.run("done", "Walk", store: "copy")
    #expect(writing.errors == "The directory is a copy: the log takes a new identity.\n")
    try await bench.run("done", "Walk", "--on", "2026-11-22")
    let replicas = try await bench.json("replicas", store: "copy")["replicas"]?.list ?? []
    let own = try #require(replicas.first { $0["predecessor"]?.text == original }, "\(replicas)")
    let id = try await bench.json("status", store: "copy")["replica"]?["id"]?.text
    #expect(own["replica"]?.text == id)
    #expect(id != original)
    #expect(try await bench.json("status")["replica"]?["id"]?.text == original)

    let report = try await bench.json("sync", bench.path("copy"))
    #expect(report["forks"]?.list == [])
    #expect(try await bench.digest() == (try await bench.digest("copy")))
    #expect(try await bench.run("diff", bench.path("phone"), bench.path("copy")).status == 0)
    #expect(try await bench.json("sync", bench.path("copy"))["method"]?.text == "equal")
  }
}
