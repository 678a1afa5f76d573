import ArgumentParser
import Carillon
import CarillonDocuments

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
    try await call.withStore(mayLackKeys: true) { store in
      call.noteLackOfKeys(in: store, "the names and roles of devices")
      let time = call.output.time
      let document = try await ReplicasDocument(store, time)
      try call.output.answer(document.json) {
        var table = Table([
          .init(title: "name", canShrink: true), .init(title: "role"),
          .init(title: "events", alignment: .right),
          .init(title: "heads", alignment: .right), .init(title: "last event"),
          .init(title: "replica", isOptional: true),
        ])
        for info in document.replicas {
          table.add([
            .init(info.name, .bold),
            .init(info.roleText),
            .init(info.sequence.rawValue.grouped),
            .init(info.headCount.grouped), .init(info.lastEventText(time)),
            .init(info.replica.description, .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
      }
    }
  }
}

extension ReplicaInfo {
  fileprivate var roleText: String {
    (role?.rawValue ?? "?") + (isRetired ? ", retired" : "") + (isRevoked ? ", revoked" : "")
  }

  /// ``lastEvent`` as text for people.
  ///
  /// The exact time is unknown if the event follows an event with a future timestamp.
  fileprivate func lastEventText(_ time: LocalTime) -> String {
    lastEvent > time.now && head.timestamp.rawValue & 0xFFFF != 0
      ? "after an event of \(time.text(lastEvent))" : time.text(lastEvent)
  }
}
