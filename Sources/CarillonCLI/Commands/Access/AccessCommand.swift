import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Foundation

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
    if let hub = try await place.hub(call) {
      let (entries, use, json) = try await hub.list()
      return try call.output.answer(json) { text(entries, call) + (use?.text ?? "") }
    }
    try await call.withStore { store in
      let list = try AccessFiles(of: store.directory).list(at: call.storeOptions.clock())
      try call.output.answer(list.json) {
        guard !list.entries.isEmpty else {
          return Self.nobody(RemoteService.addresses(of: store.directory), call)
        }
        return text(list.entries.map { ListedAccess($0) }, call)
      }
      for file in list.damaged { call.output.warn(file.message) }
    }
  }

  /// Returns what is printed if no device has access to the store's own services.
  ///
  /// - Parameter joined: The services and hubs that the store joined.
  private static func nobody(_ joined: [URL], _ call: Call) -> String {
    let carillon = call.output.carillon
    guard !joined.isEmpty else {
      return "Only you have access. To invite a device: \(carillon) invite --role phone\n"
    }
    let lines = joined.map { address in
      "This store joined \(address.absoluteString.printable). To see who has access there, if it "
        + "is a hub: \(carillon) access list --at \(ShellWord.quoted(address.absoluteString))\n"
    }
    return "Only you have access to the services of this store.\n" + lines.joined()
      + "Of a service, the list is on its computer.\n"
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
        .init(entry.expires.map(call.output.time.text) ?? "no end"),
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
      The next request is refused, and open streams end. If the store is sealed, what is written \
      from now on is sealed with a new key, which the device does not get. It keeps what it has. \
      Other devices use the new key once they have synced; a hub gets it at once.

      Examples:
        carillon access revoke old-phone
        carillon access revoke 3fa9 --at https://hub.example

      A ReplicaID stands for the name of its replica in this store.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var place: AccessPlaceFlags
  @Argument(
    help: ArgumentHelp(
      "The name, at least 4 characters of the ID, or a ReplicaID.", valueName: "name"))
  var name: String

  func run(_ call: Call) async throws {
    let hub = try await place.hub(call)
    try await call.withStore(mayLackKeys: true) { store in
      let files = try hub == nil ? AccessFiles(of: store.directory) : nil
      let entries =
        try await hub?.list().entries
        ?? files?.list(at: call.storeOptions.clock()).entries.map { ListedAccess($0) } ?? []
      // The list of replicas is needed only for an ID.
      let replicaID = ReplicaID(name)
      let replicas = replicaID == nil ? [] : try await store.replicas()
      let replica = replicas.first { $0.replica == replicaID }
      let known = replica.map(\.name) ?? name
      let id: String
      do {
        // The ID alone names an entry whose file is damaged.
        id = try AccessID(name).map(\.description) ?? entries.named(known, at: place.at).id
      } catch let error as CommandFailure where error.status == .notFound {
        // Access was already revoked, but the new key was not made yet.
        guard let epoch = try await store.revokeDevice(named: name) else { throw error }
        let address = place.at.map { " at \($0.printable)" } ?? ""
        call.output.warn(
          "nobody named \(known.printable) has access\(address); if the device has it under "
            + "another name, revoke that: \(CommandFailure.listing(at: place.at))")
        return try call.output.answer(["epoch": .text(epoch)], recorded: true) {
          Self.text(epoch)
        }
      }
      let entry = entries.first { $0.id == id }
      // The new key first: if that is refused, nothing has changed.
      let epoch = try await newEpoch(
        without: entry, replica?.replica.description ?? entry?.name, store, call)
      try await hub?.revoke(id)
      if let files {
        guard let found = AccessID(id), try files.revoke(found) else {
          throw CommandFailure.noAccess(name, entries, at: place.at)
        }
      }
      if epoch != nil, let address = place.at { await send(to: address, store, call) }
      try answer(id, entry, epoch, store, call)
    }
  }

  /// Brings the new epoch to a hub, where the other devices find it at their next sync.
  private func send(to address: String, _ store: Store, _ call: Call) async {
    do {
      try await sync(store, with: address, call)
    } catch {
      call.output.warn(
        "the other devices do not have the new key yet: \(CommandFailure(error)?.message ?? ""); "
          + "sync again: carillon sync \(ShellWord.quoted(address))")
    }
  }

  private func sync(_ store: Store, with address: String, _ call: Call) async throws {
    _ = try await SyncPeer(address).withConnection(from: store, call, SyncPace()) {
      try await $0.sync { _ in }
    }
  }

  /// Starts an epoch whose key a device does not get, and returns it.
  ///
  /// - Parameter name: The name or the ID of its replica.
  /// - Returns: Nil for a plain store, and if no device is known to be the one of the entry.
  private func newEpoch(
    without entry: ListedAccess?, _ name: String?, _ store: Store, _ call: Call
  ) async throws -> String? {
    guard store.isSealed, entry?.kind == AccessEntry.Kind.device.rawValue, let name else {
      return nil
    }
    guard store.hasContents else {
      call.output.warn(
        "the keys of the store are not here, so the device keeps its key; to start a new one, on a "
          + "device that has them: carillon access revoke \(ShellWord.quoted(name))")
      return nil
    }
    if let epoch = try await store.revokeDevice(named: name) { return epoch }
    let own = try await store.status()
    let isOwn = [own.name, own.replica.description].contains(name)
    if !isOwn, let address = place.at {
      // The hub may know the device's replica already.
      try await sync(store, with: address, call)
      if let epoch = try await store.revokeDevice(named: name) { return epoch }
    }
    if isOwn {
      call.output.warn(
        "this device keeps the store's key; to start a new one, on another device: carillon access "
          + "revoke \(ShellWord.quoted(name))")
    } else {
      call.output.warn(
        "no replica is named \(name.printable) here, so the device keeps the store's key; to start "
          + "a new one, run the same command again with the name or ID of its replica, once a sync "
          + "has brought that")
    }
    return nil
  }

  private func answer(
    _ id: String, _ entry: ListedAccess?, _ epoch: String?, _ store: Store, _ call: Call
  ) throws {
    guard call.output.isJSON || !call.output.isQuiet else { return }
    let json: JSON = ["revoked": .text(id)]
    let more: JSON =
      entry.map {
        ["kind": .text($0.kind), "role": .text($0.role), "name": .text($0.name)]
      } ?? [:]
    let last: JSON = store.isSealed ? ["epoch": .text(epoch)] : [:]
    try call.output.answer(json.merging(more).merging(last), recorded: true) {
      let subject = entry.map { "\($0.name ?? "The invitation") (\($0.role), \(id))" }
      return "\((subject ?? id).printable) no longer has access.\n" + (epoch.map(Self.text) ?? "")
    }
  }

  private static func text(_ epoch: String) -> String {
    "What is written from now on is sealed with the new key of epoch \(epoch).\n"
  }
}
