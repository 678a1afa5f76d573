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

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let list = try AccessFiles(of: store.directory).list(at: call.storeOptions.clock())
      try call.output.answer(list.json) {
        guard !list.entries.isEmpty else {
          return "Only you have access. To invite a device: \(call.output.carillon) invite "
            + "--role phone\n"
        }
        var table = Table([
          .init(title: "name", canShrink: true), .init(title: "role"), .init(title: "kind"),
          .init(title: "since"), .init(title: "until"), .init(title: "id"),
        ])
        for entry in list.entries {
          table.add([
            .init(entry.name ?? "", .bold), .init(entry.role.rawValue), .init(entry.kind.rawValue),
            .init(call.output.time.text(entry.since)),
            .init(entry.expires.map(call.output.time.text) ?? "it is revoked"),
            .init(entry.id.description, .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
      }
      for file in list.damaged { call.output.warn(file.message) }
    }
  }
}

/// `carillon access revoke`.
struct AccessRevokeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Take access away from a device, a browser or an invitation.",
    discussion: """
      The next request is refused, and open streams end. If the store is sealed, what is written \
      from now on is sealed with a new key, which the device does not get. It keeps what it has.

      Examples:
        carillon access revoke old-phone
        carillon access revoke 3fa9
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: ArgumentHelp("The name, or at least 4 characters of the ID.", valueName: "name"))
  var name: String

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let access = try AccessFiles(of: store.directory)
      let list = try access.list(at: call.storeOptions.clock())
      // The ID alone names an entry whose file is damaged.
      let found: AccessID
      do {
        found = try AccessID(name) ?? list.entries.named(name).id
      } catch let failure as CommandFailure {
        // Access was already revoked, but the new key was not made yet.
        guard let epoch = try await store.revokeDevice(named: name) else { throw failure }
        return try call.output.answer(["epoch": .text(epoch)], recorded: true) {
          Self.text(epoch)
        }
      }
      guard try access.revoke(found) else { throw CommandFailure.noAccess(name, list.entries) }
      let entry = list.entries.first { $0.id == found }
      let isDevice = entry.map { $0.kind == .device && $0.role.device != nil } ?? false
      let epoch =
        try await isDevice ? store.revokeDevice(named: entry?.name ?? name) : nil
      if isDevice, store.isSealed, epoch == nil {
        call.output.warn(
          "no replica is named \((entry?.name ?? name).printable), so the device keeps the store's "
            + "key; to start a new one, name its replica: carillon access revoke REPLICA")
      }
      guard call.output.isJSON || !call.output.isQuiet else { return }
      let json: JSON = ["revoked": .text(found)]
      let more: JSON =
        entry.map {
          [
            "kind": .text($0.kind.rawValue), "role": .text($0.role.rawValue),
            "name": .text($0.name),
          ]
        } ?? [:]
      let last: JSON = store.isSealed ? ["epoch": .text(epoch)] : [:]
      try call.output.answer(json.merging(more).merging(last), recorded: true) {
        let subject = entry.map { "\($0.name ?? "The invitation") (\($0.role.rawValue), \(found))" }
        return "\((subject ?? found.description).printable) no longer has access.\n"
          + (epoch.map(Self.text) ?? "")
      }
    }
  }
}

extension AccessRevokeCommand {
  private static func text(_ epoch: String) -> String {
    "What is written from now on is sealed with the new key of epoch \(epoch).\n"
  }
}

extension [AccessEntry] {
  /// The least number of characters of an ID that names an entry.
  private static var leastCharacters: Int { 4 }

  /// Returns the entry with a name, or with an ID that begins with the text.
  ///
  /// - Throws: `notFound`, `ambiguous` or `invalidValue`.
  fileprivate func named(_ name: String) throws(CommandFailure) -> AccessEntry {
    let named = filter { $0.name == name }
    let found =
      named.isEmpty ? filter { $0.id.description.hasPrefix(name.lowercased()) } : named
    guard let entry = found.first, !name.isEmpty else { throw .noAccess(name, self) }
    guard !named.isEmpty || name.count >= Self.leastCharacters else {
      throw .badValue(
        "\"\(name)\" is not a name, and too short for an ID; at least "
          + "\(Self.leastCharacters) characters of an ID are required",
        hint: "give more of the ID: carillon access list")
    }
    guard found.count == 1 else {
      let list = found.map { "\($0.id) (\($0.name.map { "\($0), " } ?? "")\($0.role.rawValue))" }
      throw .ambiguous(
        "\"\(name)\" matches \(list.joined(separator: ", "))", hint: "give more of the ID")
    }
    return entry
  }
}

extension CommandFailure {
  fileprivate static func noAccess(_ name: String, _ entries: [AccessEntry]) -> CommandFailure {
    let near = name.nearest(of: entries.compactMap(\.name)).map { "did you mean \($0)? " } ?? ""
    return .notFound(
      "nobody with the name or ID \"\(name)\" has access",
      hint: near + "list who has: carillon access list")
  }
}
