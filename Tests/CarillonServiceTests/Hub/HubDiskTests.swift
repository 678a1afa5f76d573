#if Service
import CarillonHub
import CarillonTestSupport
import Foundation
import Logging
import Testing

@testable import CarillonService

/// A hub whose disk is full.
struct HubDiskTests {
  /// Syncs with a hub in files while its disk is full, and then with space.
  ///
  /// The disk is in memory, and is not visible to other processes.
  private static let script = #"""
    mkdir "$disk"
    mount -t tmpfs -o size=8m none "$disk" || exit 99
    trap 'kill $hub' EXIT
    carillon hub --database "$disk/hub" --listen 127.0.0.1:0 >"$disk.out" 2>"$disk.log" & hub=$!
    until grep -q Serving "$disk.out"; do sleep 0.05; done
    port=$(sed 's/.*:\([0-9]*\).*/\1/' "$disk.out")
    person=$(carillon hub people add --database "$disk/hub" --json \
      | sed 's/.*"person":"\([^"]*\).*/\1/')
    link=$(carillon hub invite $person --role phone --database "$disk/hub" --quiet \
      --listen 127.0.0.1:$port)
    carillon join "$link" "$disk.phone" --replica phone >&2
    for i in $(seq 60); do printf 'Walk %s\n' $i; done | while read -r title; do
      carillon habit add "$title" --store "$disk.phone" >/dev/null
    done
    dd if=/dev/zero of="$disk/fill" bs=1024 2>/dev/null || true
    code=0; carillon sync --store "$disk.phone" >&2 || code=$?; echo "full $code"
    curl -s "http://127.0.0.1:$port/readyz"; echo
    grep -c "the disk of the database is full" "$disk.log" || true
    rm "$disk/fill"
    carillon sync --store "$disk.phone" >&2 && echo "room 0"
    carillon hub people list --database "$disk/hub"
    """#

  @Test(
    "A hub in files on a full disk tells devices to come back, and its operator why",
    .enabled(if: Shell.has("curl") && Shell.has("unshare"), "curl or unshare is not installed"))
  func files() async throws {
    let bench = try await ServiceBench.make()
    let file = try bench.write(Self.script, to: "script")
    let ended = try await Shell.run(
      #"exec unshare -m /bin/sh -eu "$file""#, in: bench,
      ["file": file, "disk": bench.path("disk")])
    guard ended.status != 99 else { return }
    let lines = ended.output.split(separator: "\n").map(String.init)
    try #require(ended.status == 0 && lines.count == 5, "\(ended)")
    #expect(lines[0] == "full 75", "\(ended)")
    #expect(lines[1].contains(#""name":"disk","ok":false"#), "\(ended)")
    #expect(lines[1].contains("the disk of the database is full"), "\(ended)")
    #expect(lines[2] == "1", "\(ended)")
    #expect(lines[3] == "room 0", "\(ended)")
    #expect(lines[4].contains(" 6"), "\(ended)")
  }

  @Test(
    "A hub whose directory is moved away answers devices and the health with 503, and says why",
    .timeLimit(.minutes(3)))
  func movedAway() async throws {
    let (hub, process, _) = try await HubBench.joined(.files)
    let credential = try hub.credential(of: "one", at: process)
    let away = hub.bench.path("away")
    try FileManager.default.moveItem(atPath: hub.database, toPath: away)
    let access = try await process.ask("GET", "/v1/access", as: credential)
    #expect(access.status == 503, "\(access)")
    #expect(access.body.contains("files were removed or replaced"), "\(access)")
    let health = try await process.ask("GET", "/readyz")
    #expect(health.status == 503, "\(health)")
    #expect(health.body.contains("files were removed or replaced"), "\(health)")
    try FileManager.default.moveItem(atPath: away, toPath: hub.database)
    #expect(try await process.ask("GET", "/v1/access", as: credential).status == 200)
    // The check that failed is repeated from time to time.
    while try await process.ask("GET", "/readyz").status != 200 {
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  @Test("A missing log is named by the verbs, which go on, and its devices are not refused")
  func missingLog() async throws {
    let (hub, first, person) = try await HubBench.joined(.files)
    let other = try await hub.addPerson()
    try await first.stop()
    try FileManager.default.removeItem(
      atPath: hub.database + "/people.logs/\(person.suffix(2))/\(person)")
    let process = try await hub.serve()
    let access = try await process.ask(
      "GET", "/v1/access", as: try hub.credential(of: "one", at: first))
    #expect(access.status == 500 && access.body.contains("is missing"), "\(access)")
    let list = try await hub.hub("people", "list")
    #expect(list.status == 65 && list.output.hasPrefix(other), "\(list)")
    #expect(list.errors.contains("warning: person \(person): the log of "), "\(list)")
    let compact = try await hub.hub("compact")
    #expect(compact.status == 65 && compact.output.contains("of 1 person "), "\(compact)")
    #expect(try await hub.hub("quota", person).status == 0)
    #expect(try await hub.hub("erase", person, "--yes").status == 0)
    #expect(try await hub.hub("people", "list").status == 0)
  }

  @Test("An obstacle counts for half a minute after the last request that met it")
  func lifetime() {
    let obstacles = HubObstacles(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (now, part) = (ContinuousClock.now, HubQueue.Part.group("main"))
    #expect(obstacles.current(in: part, at: now) == nil)
    for seconds in [0, 20] {
      obstacles.note(.fullDisk, "no space", in: part, at: now + .seconds(seconds))
    }
    #expect(obstacles.current(in: part, at: now + .seconds(49)) == .fullDisk)
    #expect(obstacles.current(in: .group("two"), at: now + .seconds(49)) == nil)
    #expect(obstacles.current(in: .allGroups, at: now + .seconds(49)) == .fullDisk)
    #expect(obstacles.current(in: part, at: now + .seconds(50)) == nil)
  }

  @Test("A success ends an obstacle that it disproves, once no request has met it for a second")
  func ends() {
    let obstacles = HubObstacles(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (now, part) = (ContinuousClock.now, HubQueue.Part.group("main"))
    let later = now + .seconds(1)
    obstacles.note(.fullDisk, "no space", in: part, at: now)
    obstacles.end(in: part, at: later) { !$0.allowsReads }
    #expect(obstacles.current(in: part, at: later) == .fullDisk)
    // The last success counts, also if no other one follows.
    obstacles.end(in: part, at: now + .milliseconds(1))
    #expect(obstacles.current(in: part, at: now + .milliseconds(999)) == .fullDisk)
    #expect(obstacles.current(in: part, at: later) == nil)
    obstacles.note(.unreachable, "connection refused", in: part, at: later)
    #expect(obstacles.current(in: part, at: later + .seconds(2)) == .unreachable)
    obstacles.end(in: part, at: later + .seconds(2)) { !$0.allowsReads }
    #expect(obstacles.current(in: part, at: later + .seconds(2)) == nil)
  }

  /// Returns the lines of the log about what a part meets at some seconds, or nil for a success.
  private func lines(_ met: [(Double, HubObstacle?)]) -> [String] {
    let log = LogMessages()
    var logger = log.logger
    logger.logLevel = .notice
    let obstacles = HubObstacles(logger)
    let (now, part) = (ContinuousClock.now, HubQueue.Part.group("main"))
    for (second, obstacle) in met {
      let time = now + .seconds(second)
      if let obstacle {
        obstacles.note(obstacle, "no", in: part, at: time)
      } else {
        obstacles.end(in: part, at: time)
        // As the task of the success does.
        obstacles.settle(part, at: time)
      }
    }
    return log.all
  }

  @Test("Obstacles that alternate have a line each, then one a minute, and one at the end")
  func alternating() {
    let met = (0..<170).map { number -> (Double, HubObstacle?) in
      (Double(number) * 0.4, number.isMultiple(of: 2) ? .noConnections : .noPrivilege)
    }
    let found = lines(met + [(70, nil)])
    #expect(found.count == 4, "\(found)")
    #expect(found.last == "this is over: \(HubObstacle.noPrivilege.rawValue)")
  }

  @Test("An obstacle that begins again and again is over when it stays away for a minute")
  func repeating() {
    let met = (0..<40).flatMap { number -> [(Double, HubObstacle?)] in
      [(Double(number) * 2.8, .fullDisk), (Double(number) * 2.8 + 1.4, nil)]
    }
    let (begin, end) = (
      "nothing can be written: \(HubObstacle.fullDisk.rawValue)",
      "this is over: \(HubObstacle.fullDisk.rawValue)"
    )
    // The last one is met after 109.2 seconds.
    #expect(lines(met + [(169, nil)]) == [begin, end, begin, begin])
    #expect(lines(met + [(170, nil)]) == [begin, end, begin, begin, end])
    let apart = lines([(0, .fullDisk), (2, nil), (63, .fullDisk), (65, nil)])
    #expect(apart == [begin, end, begin, end])
  }
}
#endif
