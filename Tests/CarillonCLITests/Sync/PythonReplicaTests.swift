import Foundation
import Testing

private let hasPython = [
  "/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3",
].contains { FileManager.default.isExecutableFile(atPath: $0) }

/// Another client, in Python, written from the specification: `tools/python-replica`.
@Suite(
  .timeLimit(.minutes(30)),
  .enabled(if: hasPython, "python3 is not installed here"))
struct PythonReplicaTests {
  private static let tool = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "tools/python-replica").path

  /// A script in which `replica NAME VERB...` is the Python client.
  private func run(_ bench: Workbench, _ script: String) async throws -> String {
    let answer = try await bench.startShell(
      """
      set -e
      replica() { python3 "$REPLICA" "$@"; }
      cd "$(dirname "$CARILLON_STORE")"
      id=$("$CARILLON" status --json | sed 's/^{"store":"\\([^"]*\\)".*/\\1/')
      habit=$("$CARILLON" habit list --json | sed 's/.*"habits":\\[{"id":"\\([^"]*\\)".*/\\1/')
      heads() {
        "$CARILLON" status --json | grep -o '"head":"[0-9a-f]*"' | cut -d'"' -f4 | sort
      }
      theirs() {
        replica "$1" status | grep -o '"heads": \\[.*\\]' | grep -o '[0-9a-f]\\{64\\}' | sort
      }
      same() { if [ "$(heads)" = "$(theirs "$1")" ]; then echo same; else echo different; fi; }
      \(script)
      """, with: ["REPLICA": Self.tool]
    ).answer()
    #expect(answer.status == 0, "\(answer)")
    return answer.output
  }

  private func bench() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Walk", "--at", "17:00")
    try await bench.run("done", "Walk")
    return bench
  }

  @Test("As the initiator, it syncs with a store both ways, and audits")
  func leads() async throws {
    let output = try await run(
      try await bench(),
      """
      replica log init --store-id "$id"
      replica log add done --habit "$habit" --on 2026-11-20 > /dev/null
      replica log add skip --habit "$habit" --on 2026-11-21 > /dev/null
      for limit in 60000 20000; do
        replica log sync --limit "$limit" "$CARILLON" sync --stdio "$CARILLON_STORE" > /dev/null
        same log
      done
      replica log sync --audit "$CARILLON" sync --stdio "$CARILLON_STORE"
      "$CARILLON" habit show Walk --json | grep -c . > /dev/null
      """)
    #expect(output.hasPrefix("same\nsame\n"))
    #expect(output.contains(#""messages": 2"#) && output.contains(#""bytesReceived": 7"#))
  }

  @Test("As the responder, it syncs with a store over a stand-in for ssh")
  func answers() async throws {
    let output = try await run(
      try await bench(),
      """
      replica log init --store-id "$id"
      replica log add done --habit "$habit" --on 2026-11-20 > /dev/null
      cat > connect <<'EOF'
      #!/bin/sh
      echo "a greeting of the shell"
      exec python3 "$REPLICA" log serve
      EOF
      chmod +x connect
      for round in 1 2; do
        CARILLON_SSH=./connect "$CARILLON" sync ssh://there/log --json | \
          grep -o '"method":"[a-z]*"'
        same log
      done
      CARILLON_SSH=./connect "$CARILLON" clone ssh://there/log "$PWD/clone" --replica clone | \
        grep -o 'Created replica clone'
      CARILLON_STORE="$PWD/clone" same log
      """)
    #expect(
      output == #""method":"vector""# + "\nsame\n" + #""method":"equal""# + "\nsame\n"
        + "Created replica clone\nsame\n",
      "\(output)")
  }

  @Test("Heads that either side closes are closed on both, and on a later replica")
  func closes() async throws {
    let output = try await run(
      try await bench(),
      """
      sync() { replica "$1" sync "$CARILLON" sync --stdio "$CARILLON_STORE" > /dev/null; }
      lead() {
        printf '#!/bin/sh\\nexec python3 "$REPLICA" %s serve\\n' "$1" > connect
        chmod +x connect
        CARILLON_SSH=./connect "$CARILLON" sync "ssh://there/$1" --json > /dev/null
      }
      for name in a b c d; do
        replica $name init --store-id "$id"
        replica $name add done --habit "$habit" --on 2026-11-20 > /dev/null
        sync $name
      done
      "$CARILLON" replicas close --all --json | grep -o '"headsAfter":[0-9]*'
      sync a; same a
      lead b; same b
      replica c close | grep -o '"heads": [0-9]*'
      replica c add done --habit "$habit" --on 2026-11-21 > /dev/null
      sync c; same c; heads | wc -l
      replica new init --store-id "$id"
      sync new; same new
      replica late init --store-id "$id"
      lead late; same late; heads | wc -l
      replica new close | grep -o '"heads": [0-9]*'
      lead new; same new
      lead a; same a; sync d; same d
      """)
    #expect(
      output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) } == [
        #""headsAfter":1"#, "same", "same", #""heads": 1"#, "same", "2", "same", "same", "4",
        #""heads": 1"#, "same", "same", "same",
      ], "\(output)")
  }

  @Test("Its copies that kept writing are forks, which are merged through the store")
  func forks() async throws {
    let output = try await run(
      try await bench(),
      """
      sync() { replica "$1" sync "$CARILLON" sync --stdio "$CARILLON_STORE" > /dev/null; }
      replica a init --store-id "$id"
      sync a
      cp a b
      add() { replica "$@" > /dev/null; }
      for day in 1 2 3 4 5; do add a add done --habit "$habit" --on 2026-11-0$day; done
      for day in 1 2 3; do add b add skip --habit "$habit" --on 2026-11-1$day; done
      sync a; sync b; sync a; sync b; sync a; sync b
      same a; same b
      replica a sync python3 "$REPLICA" b serve | grep -o '"messages": 2'
      """)
    #expect(output == "same\nsame\n\"messages\": 2\n", "\(output)")
  }

  @Test("An initiator of another store is refused with the error code")
  func otherStore() async throws {
    let output = try await run(
      try await bench(),
      """
      replica log init --store-id 00000000-0000-0000-0000-000000000007
      replica log sync "$CARILLON" sync --stdio "$CARILLON_STORE" 2>&1 || true
      """)
    #expect(output.contains("refused, code 1"), "\(output)")
  }
}
