#if Service
import Foundation
import Testing

/// `carillon join` into a directory on a full disk.
@Suite(
  .enabled(if: Shell.has("openssl") && Shell.has("unshare"), "openssl or unshare is not installed"))
struct JoinDiskTests {
  /// Joins with a number of KB left on a disk, then with space.
  ///
  /// The disk is in memory, and is not visible to other processes.
  private static let script = #"""
    mkdir "$disk"
    mount -t tmpfs -o size=4m none "$disk" || exit 99
    dd if=/dev/zero of="$disk/fill" bs=1024 2>/dev/null || true
    truncate -s $(($(stat -c %s "$disk/fill") - room * 1024)) "$disk/fill"
    code=0
    carillon join "$link" "$disk/watch" --replica watch 2>"$disk.first" || code=$?
    echo "first $code"
    rm "$disk/fill"
    if grep -q "go on with" "$disk.first"; then
      sh -c "$(sed -n 's/.*go on with: //p' "$disk.first")" && echo "clone 0"
    elif [ $code != 0 ]; then
      carillon join "$link" "$disk/watch" --replica watch && echo "join 0"
    fi
    carillon verify --store "$disk/watch" && echo "verify 0"
    """#

  @Test(
    "On a full disk, the invitation stays usable, or its credential is kept",
    arguments: [0, 4, 8, 16, 64, 256, 1_024])
  func full(room: Int) async throws {
    let bench = try await ServiceBench.make()
    try await bench.add("Walk")
    let service = try await bench.serveSecurely()
    let file = try bench.write(Self.script, to: "script")
    let ended = try await Shell.run(
      #"exec unshare -m /bin/sh -eu "$file""#, in: bench,
      [
        "file": file, "disk": bench.path("disk"), "room": "\(room)",
        "link": try await bench.invite("watch"),
      ])
    guard ended.status != 99 else { return }
    let lines = ended.output.split(separator: "\n")
    #expect(ended.status == 0 && lines.contains("verify 0"), "\(ended)")
    #expect(lines.contains("first 0") || lines.contains("first 74"), "\(ended)")
    if lines.contains("first 74") {
      #expect(lines.contains("join 0") || lines.contains("clone 0"), "\(ended)")
    }
    if room == 0 { #expect(lines.contains("first 74") && lines.contains("join 0"), "\(ended)") }
    try await service.stop()
  }
}
#endif
