import Foundation
import Testing

/// Another user of the machine, who may run any program.
@Suite(
  .enabled(if: geteuid() == 0, "only root can start a process of another user"),
  .enabled(
    if: ["setpriv", "flock"].allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 },
    "setpriv and flock are missing"))
struct ForeignLockTests {
  @Test("Under any umask, other users cannot open or lock the files of a store")
  func locks() async throws {
    let bench = try Workbench()
    // All users may enter the parent directories.
    let answer = try await bench.startShell(
      #"""
      umask 000
      mkdir "$open"
      chmod 0755 "$open/.." "$open"
      "$CARILLON" init --replica a --store "$store" --quiet || exit 70
      "$CARILLON" habit add Walk --at 17:00 --store "$store" --quiet || exit 71
      find "$store" | while read -r file; do
        setpriv --reuid=65534 --regid=65534 --clear-groups \
          flock --exclusive --nonblock "$file" echo "locked $file" 2>/dev/null
      done
      "$CARILLON" done Walk --store "$store" --quiet || exit 72
      "$CARILLON" verify --store "$store" >/dev/null || exit 73
      find "$store" -perm /077
      """#, with: ["open": bench.path("open"), "store": bench.path("open/store")]
    ).answer()
    #expect(answer.status == 0 && answer.output.isEmpty, "\(answer)")
  }
}
