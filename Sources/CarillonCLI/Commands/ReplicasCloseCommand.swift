import ArgumentParser
import Carillon

/// `carillon replicas close`: fewer heads.
struct ReplicasCloseCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "close",
    abstract: "Close replicas that write no more, so that a sync does not name them.",
    discussion: """
      Each replica is at least one head, which every sync names; beyond 1984 no further one is \
      taken in. Nothing is lost: the events stay, and a closed replica that writes all the same \
      is open again. This replica is never closed. The others follow when they sync.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: ArgumentHelp("Names, or ids or the starts of them.", valueName: "replica"))
  var names: [String] = []
  @Option(
    help: ArgumentHelp("Those that wrote nothing for so many days.", valueName: "90d"))
  var unheardFor: Given<DayInterval>?
  @Flag(help: "All but this one.") var all = false
  @Flag(help: "Only count; change nothing.") var dryRun = false

  func run(_ call: Call) async throws {
    let days = try unheardFor.value(for: "--unheard-for")?.days
    guard [!names.isEmpty, days != nil, all].count(where: { $0 }) == 1 else {
      throw CommandFailure.usage(
        "name replicas, or give one of --unheard-for and --all",
        hint: "see who writes in the store: carillon replicas")
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
        guard !closed.isEmpty else { return "There was nothing to close." }
        let heads = report.closed.count.counted("head")
        return dryRun
          ? "Would close \(heads) of \(report.headsBefore.grouped)."
          : "Closed \(heads): there were \(report.headsBefore.grouped), and there are "
            + "\(report.headsAfter.grouped)."
      }
    }
  }

  private func chosen(
    _ days: Int?, _ replicas: [ReplicaInfo], _ call: Call
  ) throws -> ClosedReplicas {
    if all { return .all }
    if let days {
      let now = call.output.time.now
      return .unheard(since: Instant(milliseconds: now.milliseconds - Int64(days) * 86_400_000))
    }
    return .named(
      Set(
        try names.map { name in
          let found =
            replicas.first { $0.name == name }.map { [$0] }
            ?? replicas.filter { $0.replica.description.hasPrefix(name.lowercased()) }
          guard let replica = found.first else {
            throw CommandFailure.notFound(
              "there is no replica \"\(name)\"",
              hint: "see their names: carillon replicas")
          }
          guard found.count == 1 else {
            throw CommandFailure.ambiguous(
              "\(found.count) replicas have an id that begins with \"\(name)\"",
              hint: "give more of it; see their ids: carillon replicas")
          }
          return replica.replica
        }))
  }
}
