#if Service
import CarillonHub
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
    #expect(obstacles.current(in: part, at: now + .seconds(50)) == nil)
  }

  @Test("A success ends an obstacle that it disproves, once no request has met it for a second")
  func ends() {
    let obstacles = HubObstacles(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (now, part) = (ContinuousClock.now, HubQueue.Part.group("main"))
    let later = now + .seconds(1)
    obstacles.note(.fullDisk, "no space", in: part, at: now)
    obstacles.end(in: part, at: now + .milliseconds(999))
    obstacles.end(in: part, at: later) { !$0.allowsReads }
    #expect(obstacles.current(in: part, at: later) == .fullDisk)
    obstacles.end(in: part, at: later)
    #expect(obstacles.current(in: part, at: later) == nil)
    obstacles.note(.unreachable, "connection refused", in: part, at: now)
    obstacles.end(in: part, at: later) { !$0.allowsReads }
    #expect(obstacles.current(in: part, at: later) == nil)
  }
}
#endif
