import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon replicas close`: closes replicas that no longer write, for fewer heads.
struct ReplicasCloseCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "close",
    abstract: "Close replicas that no longer write, so that syncs no longer list them.",
    discussion: """
      Every sync lists each replica's heads, of which a store accepts at most 1984. Closing a \
      replica loses nothing: its events stay, and it opens again if it writes. This replica is \
      never closed. Other replicas close it when they sync.

      Examples:
        carillon replicas close old-phone --dry-run
        carillon replicas close --inactive-for 90d
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: ArgumentHelp(
      "The replicas' names, or their IDs or the first characters of these.", valueName: "replica"))
  var names: [String] = []
  @Option(
    help: ArgumentHelp(
      "Close the replicas that wrote nothing for this many days, 1d to 3650d.", valueName: "90d"))
  var inactiveFor: Given<DayInterval>?
  @Flag(help: "Close all replicas except this one.") var all = false
  @Flag(help: "Count what would be closed, without changing anything.") var dryRun = false

  func run(_ call: Call) async throws {
    let days = try inactiveFor.value(for: "--inactive-for")?.days
    guard [!names.isEmpty, days != nil, all].count(where: { $0 }) == 1 else {
      throw CommandFailure.usage(
        "either replicas, --inactive-for or --all is required",
        hint: "list the replicas: carillon replicas")
    }
    try await call.withStore { store in
      let replicas = try await store.replicas()
      let report = try await store.closeHeads(
        of: try chosen(days, replicas, call), isDryRun: dryRun)
      let closed = Set(report.closed.map(\.replica))
      try call.output.confirm(
        report.written,
        [
          "dryRun": .bool(dryRun), "closed": .integer(report.closed.count),
          "headsBefore": .integer(report.headsBefore), "headsAfter": .integer(report.headsAfter),
          "replicas": .array(replicas.filter { closed.contains($0.replica) }) {
            ["replica": .text($0.replica.description), "name": .text($0.name)]
          },
        ]
      ) {
        guard !closed.isEmpty else { return "Nothing to close." }
        let heads = report.closed.count.counted("head")
        return dryRun
          ? "Would close \(heads) of \(report.headsBefore.grouped)."
          : "Closed \(heads) of \(report.headsBefore.grouped); \(report.headsAfter.grouped) "
            + (report.headsAfter == 1 ? "is left." : "are left.")
      }
    }
  }

  private func chosen(
    _ days: Int?, _ replicas: [ReplicaInfo], _ call: Call
  ) throws -> ClosedReplicas {
    if all { return .all }
    if let days {
      let now = call.output.time.now
      return .inactive(since: Instant(milliseconds: now.milliseconds - Int64(days) * 86_400_000))
    }
    return .named(Set(try names.map { try replicas.named($0).replica }))
  }
}
