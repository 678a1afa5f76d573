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

  @Test("A store that another user may only read is refused with the file that readers write")
  func readable() async throws {
    let bench = try Workbench()
    let answer = try await bench.startShell(
      #"""
      mkdir "$open" && chmod 0755 "$open/../.." "$open/.." "$open"
      "$CARILLON" init --replica a --storage lmdb --store "$open/a" --quiet || exit 70
      chmod -R a+rX "$open/a"
      cp "$CARILLON" "$open/carillon" && chmod 0755 "$open/carillon"
      setpriv --reuid=65534 --regid=65534 --clear-groups "$open/carillon" today --store "$open/a"
      """#, with: ["open": bench.path("open")]
    ).answer()
    #expect(answer.status == 77, "\(answer)")
    let file = bench.path("open/a/log/lock.mdb")
    let said = "\(file) must be written, also to read the store: Permission denied\nhint: let this"
    #expect(answer.errors.contains(said), "\(answer)")
  }

  @Test("The lock of another user in a shared folder is named with its owner and what to do")
  func sharedFolder() async throws {
    let bench = try Workbench()
    let answer = try await bench.startShell(
      #"""
      mkdir "$open" && chmod 0755 "$open/../.." "$open/.." && chmod 0777 "$open"
      "$CARILLON" init --replica a --store "$open/a" --quiet || exit 70
      "$CARILLON" plan --apply "$open/a.json" --store "$open/a" >/dev/null || exit 71
      cp "$CARILLON" "$open/carillon" && chmod 0755 "$open/carillon"
      other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$open/carillon" "$@"; }
      other init --replica b --store "$open/b" --quiet || exit 72
      other plan --apply "$open/b.json" --store "$open/b"
      """#, with: ["open": bench.path("open")]
    ).answer()
    #expect(answer.status == 77, "\(answer)")
    let lock = bench.path("open/.carillon-lock")
    #expect(answer.errors.contains("\(lock), which belongs to root, cannot be opened"), "\(answer)")
    #expect(answer.errors.contains("hint: give a file in a directory that no other"), "\(answer)")
  }
}
