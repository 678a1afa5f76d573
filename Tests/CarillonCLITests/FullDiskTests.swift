import Foundation
import Testing

/// On a full disk, verbs that read the log work, and verbs that write report the full disk.
///
/// The disk is a tmpfs in the script's mount namespace, which ends with the script.
@Suite(.enabled(if: SmallDisk.canBeMounted, "mounting is not permitted here"))
struct FullDiskTests {
  @Test(
    "A restored log can be read on a full disk, and written once there is space",
    arguments: [0, 4, 12, 28, 32, 36, 64])
  func restored(_ room: Int) async throws {
    let bench = try Workbench()
    let disk = bench.path("disk")
    // A copy without its lock file and its marker, which a backup may leave out.
    let answer = try await bench.onDisk(
      disk,
      """
      run made init --replica a --store "$disk/a"
      run made habit add Walk --at 17:00 --store "$disk/a"
      cp -r "$disk/a" "$disk/b"
      rm "$disk/b/log/lock.mdb" "$disk/b/log/identity"
      fill \(room)
      run log log --store "$disk/b"
      run export export --store "$disk/b"
      run write done Walk --store "$disk/b"
      rm "$disk/fill"
      run later done Walk --store "$disk/b"
      run later verify --store "$disk/b"
      """)
    let lines = answer.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasPrefix("made ") } == ["made 0", "made 0"], "\(answer)")
    #expect(lines.filter { $0.hasPrefix("log ") } == ["log 0"], "\(answer)")
    #expect(lines.filter { $0.hasPrefix("export ") } == ["export 0"], "\(answer)")
    #expect(lines.contains("write 0") || lines.contains("write 74"), "\(answer)")
    if room == 0 { #expect(answer.errors.contains(#""code":"full""#), "\(answer)") }
    #expect(lines.filter { $0.hasPrefix("later ") } == ["later 0", "later 0"], "\(answer)")
  }

  @Test("On a full disk, a check reports each damaged page of outdated projections")
  func damagedTables() async throws {
    let bench = try Workbench()
    let answer = try await bench.onDisk(
      bench.path("disk"),
      """
      run made init --replica a --store "$disk/a"
      run made habit add Walk --at 17:00 --store "$disk/a"
      run made status --store "$disk/a"
      cp "$disk/a"/projection*.sqlite "$disk/before"
      run made done Walk --store "$disk/a"
      tables="$(ls "$disk/a"/projection*.sqlite)"
      rm -f "$tables-wal" "$tables-shm"
      cp "$disk/before" "$tables"
      fill 0
      run intact verify --store "$disk/a"
      for page in 0 5 10 15 20; do
        printf damage | dd of="$tables" bs=1 seek=$((page * 4096 + 2000)) conv=notrunc 2>/dev/null
        run damaged verify --store "$disk/a"
        run damaged rebuild --check --store "$disk/a"
        dd if="$disk/before" of="$tables" conv=notrunc 2>/dev/null
      done
      run intact verify --store "$disk/a"
      """)
    let lines = answer.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasPrefix("intact ") } == ["intact 0", "intact 0"], "\(answer)")
    let damaged = lines.filter { $0.hasPrefix("damaged ") }
    #expect(damaged == Array(repeating: "damaged 1", count: 10), "\(answer)")
  }

  @Test(
    "On a full disk with small blocks, no verb is killed by a signal, and nothing is lost",
    .enabled(if: SmallDisk.canBeOfSmallBlocks, "a loop device is not permitted here"),
    arguments: ["lmdb", "sqlite"], [0, 1, 2, 3, 5, 8, 13, 21, 29, 34, 64])
  func smallBlocks(_ storage: String, _ room: Int) async throws {
    let bench = try Workbench()
    let answer = try await bench.onDisk(
      bench.path("disk"), of: .smallBlocks,
      """
      run made init --storage \(storage) --replica a --store "$disk/a"
      run made habit add Walk --at 17:00 --store "$disk/a"
      cp -r "$disk/a" "$disk/b"
      rm -f "$disk/b/log/lock.mdb"
      fill \(room)
      for store in a b; do
        run read log --store "$disk/$store"
        run full status --store "$disk/$store"
        run full pending --store "$disk/$store"
        run full done Walk --store "$disk/$store"
      done
      run full init --storage \(storage) --replica c --store "$disk/c"
      rm "$disk/fill"
      for store in a b; do
        run later done Walk --store "$disk/$store"
        run later verify --store "$disk/$store"
      done
      """)
    let lines = answer.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasPrefix("made ") } == ["made 0", "made 0"], "\(answer)")
    #expect(lines.filter { $0.hasPrefix("read ") } == ["read 0", "read 0"], "\(answer)")
    let full = lines.filter { $0.hasPrefix("full ") }
    #expect(full.count == 7 && full.allSatisfy(["full 0", "full 74"].contains), "\(answer)")
    // What the command line prints after SIGBUS, of which an app would end.
    #expect(!answer.errors.contains("became shorter"), "\(answer)")
    let later = lines.filter { $0.hasPrefix("later ") }
    #expect(later == Array(repeating: "later 0", count: 4), "\(answer)")
  }

  @Test(
    "Creating a store on a full disk reports it, and succeeds once there is space",
    arguments: [0, 4, 16, 32, 40, 48, 64, 128])
  func making(_ room: Int) async throws {
    let bench = try Workbench()
    let answer = try await bench.onDisk(
      bench.path("disk"),
      """
      fill \(room)
      run first init --replica a --store "$disk/a"
      rm "$disk/fill"
      rm -rf "$disk/a"
      run later init --replica a --store "$disk/a"
      run later verify --store "$disk/a"
      """)
    let lines = answer.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("first 0") || lines.contains("first 74"), "\(answer)")
    #expect(lines.filter { $0.hasPrefix("later ") } == ["later 0", "later 0"], "\(answer)")
  }
}

private enum SmallDisk: String {
  case memory = #"mount -t tmpfs -o size=8m none "$disk""#
  /// A file system in a file, with blocks smaller than pages, so that a page may fit in part.
  case smallBlocks = """
    truncate -s 8M "$disk.image" && /usr/sbin/mkfs.ext4 -q -b 1024 "$disk.image" \
      && mount -o loop "$disk.image" "$disk"
    """

  static let canBeMounted = memory.canBeMounted
  static let canBeOfSmallBlocks = smallBlocks.canBeMounted

  private var canBeMounted: Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["unshare", "-m", "/bin/sh", "-c", "disk=$(mktemp -d) && " + script]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// Tries the mount, and leaves nothing behind.
  private var script: String {
    "{ \(rawValue) && umount \"$disk\"; s=$?; rm -rf \"$disk\" \"$disk.image\"; exit $s; }"
  }
}

extension Workbench {
  /// Runs a script on a disk of 8 MB, with `run NAME VERB ...`, which prints the name and the exit
  /// code, and `fill N`, which leaves N KiB.
  fileprivate func onDisk(
    _ disk: String, of kind: SmallDisk = .memory, _ script: String
  ) async throws -> Answer {
    let begin = """
      set -u
      mkdir "$disk"
      \(kind.rawValue) || exit 77
      run() {
        name=$1
        shift
        "$CARILLON" "$@" --json >"$disk.output"
        echo "$name $?"
      }
      fill() {
        dd if=/dev/zero of="$disk/fill" bs=1024 2>/dev/null
        size=$(stat -c %s "$disk/fill")
        truncate -s $((size - $1 * 1024)) "$disk/fill"
      }
      """
    // In its own namespace, the mount is not visible to other processes.
    let file = try write(begin + "\n" + script, to: "script")
    let answer = try await startShell(
      #"exec unshare -m /bin/sh "$script""#, with: ["disk": disk, "script": file]
    ).answer()
    try #require(!answer.wasSignalled && answer.status == 0, "\(answer)")
    return answer
  }
}
