import Testing

@testable import CarillonCLI

/// How often `sync --watch` says that the other side is not reachable.
struct OutageTests {
  @Test("An outage is reported after a minute, and whenever its time has doubled")
  func reports() {
    let start = ContinuousClock.now
    var outage = Outage(start: start)
    let minutes = (0...2_000).compactMap { minute in
      outage.timeToReport(at: start + .seconds(minute * 60)).map { (minute, $0) }
    }
    #expect(minutes.map(\.0) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024])
    #expect(minutes.map(\.1).prefix(3) == ["1 minute", "2 minutes", "4 minutes"])
    #expect(minutes.last?.1 == "17 hours")
  }
}
