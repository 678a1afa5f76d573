import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments

/// `carillon access`: who may use the services of the store.
struct AccessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "access",
    abstract: "List who may use the store's services; revoke access.",
    subcommands: [AccessListCommand.self, AccessRevokeCommand.self],
    defaultSubcommand: AccessListCommand.self)
}

/// `carillon access list`.
struct AccessListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List devices, sessions of browsers, and open invitations.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var place: AccessPlaceFlags

  func run(_ call: Call) async throws {
    if let hub = try place.hub(of: try call.directory()) {
      let (entries, json) = try await hub.list()
      return try call.output.answer(json) { text(entries, call) }
    }
    try await call.withStore { store in
      let list = try AccessFiles(of: store.directory).list(at: call.storeOptions.clock())
      try call.output.answer(list.json) {
        guard !list.entries.isEmpty else {
          return "Only you have access. To invite a device: \(call.output.carillon) invite "
            + "--role phone\n"
        }
        return text(list.entries.map { ListedAccess($0) }, call)
      }
      for file in list.damaged { call.output.warn(file.message) }
    }
  }

  private func text(_ entries: [ListedAccess], _ call: Call) -> String {
    var table = Table([
      .init(title: "name", canShrink: true), .init(title: "role"), .init(title: "kind"),
      .init(title: "since"), .init(title: "until"), .init(title: "id"),
    ])
    for entry in entries {
      table.add([
        .init(entry.name ?? "", .bold), .init(entry.role), .init(entry.kind),
        .init(call.output.time.text(entry.since)),
        .init(entry.expires.map(call.output.time.text) ?? "it is revoked"),
        .init(entry.id, .dim),
      ])
    }
    return table.rendered(on: call.output.terminal)
  }
}

/// `carillon access revoke`.
struct AccessRevokeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Take access away from a device, a browser or an invitation.",
    discussion: """
      The next request is refused, and open streams end.

      Examples:
        carillon access revoke old-phone
        carillon access revoke 3fa9 --at https://hub.example
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var place: AccessPlaceFlags
  @Argument(
    help: ArgumentHelp("The name, or at least 4 characters of the ID.", valueName: "name"))
  var name: String

  func run(_ call: Call) async throws {
    if let hub = try place.hub(of: try call.directory()) {
      let entry = try await hub.list().entries.named(name)
      try await hub.revoke(entry.id)
      return try answer(entry.id, entry, call)
    }
    try await call.withStore { store in
      let access = try AccessFiles(of: store.directory)
      let list = try access.list(at: call.storeOptions.clock()).entries.map { ListedAccess($0) }
      // The ID alone names an entry whose file is damaged.
      let id = try AccessID(name).map(\.description) ?? list.named(name).id
      guard let found = AccessID(id), try access.revoke(found) else {
        throw CommandFailure.noAccess(name, list)
      }
      try answer(id, list.first { $0.id == id }, call)
    }
  }

  private func answer(_ id: String, _ entry: ListedAccess?, _ call: Call) throws {
    guard call.output.isJSON || !call.output.isQuiet else { return }
    let json: JSON = ["revoked": .text(id)]
    let more: JSON =
      entry.map {
        ["kind": .text($0.kind), "role": .text($0.role), "name": .text($0.name)]
      } ?? [:]
    try call.output.answer(json.merging(more), recorded: true) {
      let subject = entry.map { "\($0.name ?? "The invitation") (\($0.role), \(id))" }
      return "\((subject ?? id).printable) no longer has access.\n"
    }
  }
}
