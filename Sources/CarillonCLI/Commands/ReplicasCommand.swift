import ArgumentParser
import Carillon

/// `carillon replicas`: the replicas of the store.
struct ReplicasCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replicas",
    abstract: "List the replicas of the store; rename, retire or close them.",
    subcommands: [
      ReplicasListCommand.self, ReplicasRenameCommand.self, ReplicasRoleCommand.self,
      ReplicasRetireCommand.self, ReplicasCloseCommand.self,
    ],
    defaultSubcommand: ReplicasListCommand.self,
    aliases: ["replica"])
}

/// `carillon replicas list`.
struct ReplicasListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the replicas of the store.")

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let replicas = try await store.replicas()
      let time = call.output.time
      try call.output.answer([
        "replicas": .array(replicas) { info in
          [
            "replica": .text(info.replica.description), "name": .text(info.name),
            "role": .text(info.role?.rawValue), "retired": .bool(info.isRetired),
            "sequence": .integer(info.sequence.rawValue),
            "head": .text(info.head.description),
            "lastEvent": .text(time.rfc3339(info.lastEvent)),
            "predecessor": .text(info.predecessor),
            "heads": .integer(info.branches.count { !$0.isClosed }),
          ]
        }
      ]) {
        var table = Table([
          .init(title: "name", canShrink: true), .init(title: "role"),
          .init(title: "events", alignment: .right),
          .init(title: "heads", alignment: .right), .init(title: "last event"),
          .init(title: "replica", isOptional: true),
        ])
        for info in replicas {
          table.add([
            .init(info.name, .bold),
            .init((info.role?.rawValue ?? "?") + (info.isRetired ? ", retired" : "")),
            .init(info.sequence.rawValue.grouped),
            .init(info.branches.count { !$0.isClosed }.grouped), .init(info.lastEventText(time)),
            .init(info.replica.description, .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
      }
    }
  }
}

extension ReplicaInfo {
  /// When the replica last wrote, by its own clock or a later one that it has synced with.
  fileprivate var lastEvent: Instant { Instant(milliseconds: head.timestamp.milliseconds) }

  /// ``lastEvent`` as text for people.
  ///
  /// The exact time is unknown if the event follows an event with a future timestamp.
  fileprivate func lastEventText(_ time: LocalTime) -> String {
    lastEvent > time.now && head.timestamp.rawValue & 0xFFFF != 0
      ? "after an event of \(time.text(lastEvent))" : time.text(lastEvent)
  }
}
