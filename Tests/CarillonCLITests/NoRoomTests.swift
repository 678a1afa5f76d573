import Foundation
import Testing

/// Whether this system allows a test to mount a disk, as root may.
private let canMount =
  geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare")

/// Tests on a small disk of their own; the mount ends with its process.
@Suite(.enabled(if: canMount)) struct NoRoomTests {
  private static let readers = [
    "pending", "status", "habit list", "verify", "log", "show 1", "export", "receipts",
    "rebuild --check", "explain Walk",
  ]

  /// Runs a script on a store on a disk of 8 MB.
  ///
  /// In the script, `fill N` leaves N free pages of 4 KiB, `free` frees all of them, and `all` runs
  /// every verb that reads and prints its exit code.
  fileprivate static func onSmallDisk(_ script: String) async throws -> [String] {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    #expect(try await bench.run("pending").status == 0)
    let all = readers.map { verb in
      #""$CARILLON" \#(verb) >/dev/null 2>errors; echo $?:'\#(verb)' $(cat errors)"#
    }
    let answer = try await bench.startShell(
      """
      exec unshare -m sh -c '
      fill() {
        free; fallocate -l $(( ($(stat -f -c %a disk) - $1) * 4096 )) disk/ballast
      }
      free() { rm -f disk/ballast; }
      cd "$TMPDIR"; mkdir disk; mount -t tmpfs -o size=8M none disk || exit 99
      cp -a phone disk/phone; export CARILLON_STORE="$TMPDIR/disk/phone"
      \(script.replacing("all", with: all.joined(separator: "\n")).replacing("'", with: "'\\''"))
      '
      """
    ).answer()
    try #require(answer.status == 0, "\(answer)")
    return answer.output.split(separator: "\n").map(String.init)
  }

  @Test("On a full disk all verbs that read work, and a rebuild reports the full disk")
  func full() async throws {
    let lines = try await Self.onSmallDisk(
      """
      "$CARILLON" status >/dev/null; fill 0; all
      "$CARILLON" rebuild >/dev/null 2>errors; echo $?:$(cat errors)
      free; "$CARILLON" verify >/dev/null; echo $?:whole
      """)
    #expect(lines.count == Self.readers.count + 2, "\(lines)")
    for line in lines.prefix(Self.readers.count) { #expect(line.hasPrefix("0:"), "\(lines)") }
    #expect(lines[lines.count - 2].contains("hint: make room"), "\(lines)")
    #expect(lines.last == "0:whole")
  }

  @Test("Outdated or missing projections are updated in memory on a full disk")
  func behind() async throws {
    let lines = try await Self.onSmallDisk(
      """
      "$CARILLON" status >/dev/null; mkdir old; cp disk/phone/*.sqlite old/
      "$CARILLON" done Walk --now \(Workbench.now) >/dev/null; "$CARILLON" status >/dev/null
      cp old/* disk/phone/; fill 0; all
      "$CARILLON" habit list --now \(Workbench.now) | grep -c done
      rm disk/phone/*.sqlite; fill 0; all
      """)
    #expect(lines.count == Self.readers.count * 2 + 1, "\(lines)")
    #expect(lines.count { $0.hasPrefix("0:") } == Self.readers.count * 2, "\(lines)")
    #expect(lines.contains("1"), "the entry after the tables' checkpoint: \(lines)")
  }

  @Test("An export on a full disk needs no projections, and creates no file")
  func exportAlone() async throws {
    let lines = try await Self.onSmallDisk(
      """
      "$CARILLON" export >before; rm disk/phone/*.sqlite; ls -R disk/phone >names; fill 0
      "$CARILLON" export >after 2>errors; echo $?:$(cat errors)
      cmp before after && free && ls -R disk/phone | cmp names - && echo same
      """)
    #expect(lines == ["0:", "same"])
  }

  @Test("On a read-only disk all verbs that read work, including a check")
  func readOnly() async throws {
    let lines = try await Self.onSmallDisk(
      #""$CARILLON" status >/dev/null; mount -o remount,ro disk; all"#)
    #expect(lines.count { $0.hasPrefix("0:") } == Self.readers.count, "\(lines)")
  }

  @Test("On a read-only disk, a verb that writes names the file that cannot be written")
  func refused() async throws {
    let lines = try await Self.onSmallDisk(
      """
      "$CARILLON" clone disk/phone disk/tablet --replica tablet --storage sqlite --quiet
      mount -o remount,ro disk
      for store in phone tablet; do for verb in compact "habit add Read"; do
        "$CARILLON" --store disk/$store $verb 2>errors; echo $?: $(cat errors)
      done; done
      """)
    #expect(lines.count == 4, "\(lines)")
    for (line, file) in zip(
      lines, ["phone/log/", "phone/log/data.mdb", "tablet/log.sqlite", "tablet/log.sqlite"])
    {
      #expect(line.hasPrefix("77:") && line.contains("/disk/\(file)"), "\(lines)")
      #expect(line.contains("hint: check the permissions"), "\(lines)")
    }
  }

  @Test("The command in the refusal to clone from a read-only disk works")
  func copied() async throws {
    let lines = try await Self.onSmallDisk(
      """
      mount -o remount,ro disk
      "$CARILLON" clone disk/phone other --replica watch 2>errors; echo $?
      eval "$(sed -n 's/.*: cp/cp/p' errors)"
      "$CARILLON" --store other habit add Read >/dev/null 2>&1; echo $?
      """)
    #expect(lines == ["73", "0"])
  }
}

/// Circumstances other than damage that prevent a verb from using its files.
struct HeldFilesTests {
  @Test(
    "A low limit on open files is an error, not a crash",
    arguments: ["rebuild", "pending", "verify"])
  func fewFiles(verb: String) async throws {
    let bench = try await Workbench.withStore()
    for limit in [5, 6, 12] {
      let answer = try await bench.startShell(
        #"ulimit -n \#(limit); exec "$CARILLON" \#(verb)"#
      ).answer()
      #expect(answer.status == 74, "\(limit): \(answer)")
      #expect(answer.errors.contains("the limit on open files is \(limit)"), "\(answer)")
    }
  }

  @Test("Commands work with 350 MB of address space, however many threads they have")
  func littleAddressSpace() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    try await bench.run("backup", bench.path("b"))
    for round in 0..<4 {
      for verb in ["restore \"$TMPDIR/b\" \"$TMPDIR/r\(round)\"", "verify --full"] {
        let answer = try await bench.startShell(
          #"ulimit -v 350000; exec "$CARILLON" \#(verb)"#
        ).answer()
        #expect(answer.status == 0, "\(answer)")
      }
    }
  }

  @Test("If a process hangs while it recovers the projections, others exit as busy and name it")
  func recovering() async throws {
    let bench = try await Workbench.withStore()
    #expect(try await bench.run("status").status == 0)
    let holder = try await bench.startShell(
      """
      exec python3 -c '
      import fcntl, glob, os, struct, time
      path = glob.glob(os.environ["CARILLON_STORE"] + "/*.sqlite")[0]
      open(path + "-wal", "ab").close()
      index = os.open(path + "-shm", os.O_RDWR | os.O_CREAT, 0o600)
      os.ftruncate(index, 32768)
      data = os.open(path, os.O_RDWR)
      def lock(file, kind, start, count):
          fcntl.fcntl(file, fcntl.F_SETLK, struct.pack("hhqqi4x", kind, 0, start, count, 0))
      lock(data, fcntl.F_RDLCK, 0x40000002, 510)
      lock(index, fcntl.F_RDLCK, 128, 1)
      lock(index, fcntl.F_WRLCK, 120, 3)
      print("held", flush=True)
      time.sleep(600)'
      """)
    defer { holder.killGroup() }
    try await holder.prints { $0.contains("held") }
    let answer = try await bench.run("status")
    #expect(answer.status == 75, "\(answer)")
    let named = try Regex(#"\.sqlite: process \d+ \(python3[.0-9]*\) holds it"#)
    #expect(answer.errors.contains(named), "\(answer)")
    holder.killGroup()
    _ = try await holder.answer()
    #expect(try await bench.run("status").status == 0)
  }

  @Test("A dry run of restore says how much space is needed and free, as restore itself does")
  func dryRun() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk")
    try await bench.run("append", input: bench.entries(of: walk, count: 3_000))
    try await bench.run("backup", bench.path("b"))
    for storage in ["lmdb", "sqlite"] {
      let arguments = ["restore", bench.path("b"), bench.path(storage), "--storage", storage]
      let dry = try await bench.start(arguments + ["--dry-run", "--json"]).answer().document()
      let needed = try #require(dry["leastBytes"]?.number)
      #expect(try #require(dry["freeBytes"]?.number) > needed)
      #expect(try await bench.start(arguments).answer().status == 0)
      let file = bench.path(storage) + (storage == "lmdb" ? "/log/data.mdb" : "/log.sqlite")
      let size = try #require(
        FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
      // The bound holds, and is not far from the file's size.
      #expect(needed <= size && needed > size * 3 / 4, "\(storage): \(needed) of \(size)")
      let again = try await bench.start(arguments + ["--dry-run"]).answer()
      #expect(again.status == 73 && again.errors.contains(" status; or choose another"), "\(again)")
    }
    let answer = try await bench.startShell(
      """
      exec unshare -m sh -c '
      cd "$TMPDIR"; mkdir disk; mount -t tmpfs -o size=100k none disk || exit 99
      for flag in --dry-run --quiet; do
        "$CARILLON" restore b disk/new $flag; echo $?; ls disk
      done
      '
      """
    ).answer()
    #expect(answer.output == "74\n74\n", "\(answer)")
    let says = /where 102,400 bytes are free: at least 2[0-9]{2},[0-9]{3} bytes are needed/
    #expect(answer.errors.matches(of: says).count == 2, "\(answer)")
  }

  @Test("compact on a full disk says how much space it needs, and does not suggest itself")
  func compact() async throws {
    let lines = try await NoRoomTests.onSmallDisk(
      """
      "$CARILLON" status >/dev/null; fill 0
      "$CARILLON" compact 2>errors; echo $?:$(cat errors)
      free; "$CARILLON" compact --quiet; echo $?
      """)
    #expect(lines.count == 2 && lines.last == "0", "\(lines)")
    let line = try #require(lines.first)
    #expect(line.hasPrefix("74:") && line.contains("a second copy of the files"), "\(line)")
    #expect(line.contains("bytes, where 0 bytes are free; free space"), "\(line)")
    #expect(line.contains("backup DIR") && !line.contains("small again"), "\(line)")
  }

  @Test("restore and clone on a full disk name the place and the free bytes")
  func noRoomForStore() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk")
    try await bench.run("append", input: bench.entries(of: walk, count: 3_000))
    let answer = try await bench.startShell(
      """
      exec unshare -m sh -c '
      cd "$TMPDIR"; mkdir disk; mount -t tmpfs -o size=100k none disk || exit 99
      "$CARILLON" --store phone backup backup --quiet
      for storage in lmdb sqlite; do
        "$CARILLON" restore backup disk/new --storage $storage 2>errors; echo $?:$(cat errors)
        "$CARILLON" clone phone disk/new --replica new --storage $storage 2>errors
        echo $?:$(cat errors)
        ls disk
      done
      '
      """
    ).answer()
    let lines = answer.output.split(separator: "\n")
    #expect(lines.count == 4, "\(answer)")
    for line in lines {
      #expect(line.hasPrefix("74:") && line.contains("disk/new, where 102,400 bytes are free"))
      #expect(line.contains("choose a directory on another one"), "\(line)")
      #expect(!line.contains("compact"), "\(line)")
    }
  }
}
