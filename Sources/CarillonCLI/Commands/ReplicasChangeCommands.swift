import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon replicas rename`: gives a replica another name.
struct ReplicasRenameCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a replica another name, on all replicas.",
    discussion: """
      Examples:
        carillon replicas rename phone laptop
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var replica: ReplicaArgument
  @Argument(help: ArgumentHelp("The new name, 1 to 64 bytes.", valueName: "name"))
  var name: String

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let before = try await replica.find(in: store)
      let written: Written
      do throws(StoreError) {
        written = try await store.setDevice(before.replica, name: name)
      } catch {
        guard error.code == .invalidValue else { throw error }
        throw CommandFailure.badValue(error.message, hint: "give a name such as laptop")
      }
      let after = try await store.replicas().named(replica: before.replica)
      try call.output.confirm(written, after.deviceJSON) {
        written.events.isEmpty
          ? "\(after.name) has that name already." : "\(before.name) is now named \(after.name)."
      }
    }
  }
}

/// `carillon replicas role`: changes what kind of device a replica runs on.
struct ReplicasRoleCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "role", abstract: "Set which kind of device a replica runs on.",
    discussion: """
      Of the devices that may remind, a phone reminds first, then a tablet, a watch and a desktop. \
      A server never reminds.

      Examples:
        carillon replicas role laptop desktop
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var replica: ReplicaArgument
  @Argument(
    help: ArgumentHelp("phone, tablet, watch, desktop or server.", valueName: "role"))
  var role: Given<Device.Role>

  func run(_ call: Call) async throws {
    let role = try role.value(for: "role")
    try await call.withStore { store in
      let found = try await replica.find(in: store)
      let written = try await store.setDevice(found.replica, role: role)
      let after = try await store.replicas().named(replica: found.replica)
      let reminders = try await call.reminders(store)
      try call.output.confirm(written, after.deviceJSON.merging(reminders.json)) {
        "\(after.name) is \(written.events.isEmpty ? "already" : "now") a \(role.rawValue); "
          + reminders.sentence
      }
    }
  }
}

/// `carillon replicas retire`: takes a device out of use.
struct ReplicasRetireCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "retire",
    abstract: "Take a device out of use: it reminds no more, and no device waits for it.",
    discussion: """
      Nothing is deleted: what the device recorded and delivered stays. It stays retired, also if \
      it writes again, until --undo.

      Examples:
        carillon replicas retire old-phone
        carillon replicas retire --undo old-phone
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var replica: ReplicaArgument
  @Flag(help: "Use the device again.") var undo = false

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let found = try await replica.find(in: store)
      let written = try await store.setDevice(found.replica, isRetired: !undo)
      let after = try await store.replicas().named(replica: found.replica)
      let reminders = try await call.reminders(store)
      try call.output.confirm(written, after.deviceJSON.merging(reminders.json)) {
        let state =
          switch (undo, written.events.isEmpty) {
          case (true, true): "is in use already"
          case (true, false): "is in use again"
          case (false, true): "is retired already"
          case (false, false): "is retired"
          }
        let command = Remedy.useAgain(after.replica, name: after.name)
          .command(call.output.carillon)
        let isNamed = undo || reminders.sentence.contains(command)
        return "\(after.name) \(state); \(reminders.sentence)"
          + (isNamed ? "" : " To use it again: \(command)")
      }
    }
  }
}

/// A replica, as an argument.
struct ReplicaArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The replica's name, or its ID or the first characters of it.", valueName: "replica"))
  var replica: String

  /// Returns the replica.
  ///
  /// - Throws: `notFound` or `ambiguous`.
  func find(in store: Store) async throws -> ReplicaInfo {
    try await store.replicas().named(replica)
  }
}

extension [ReplicaInfo] {
  /// Returns the replica with a name, or with an ID that begins with the text.
  ///
  /// - Throws: `notFound` or `ambiguous`.
  func named(_ name: String) throws(CommandFailure) -> ReplicaInfo {
    if let found = first(where: { $0.name == name }) { return found }
    let found = filter { $0.replica.description.hasPrefix(name.lowercased()) }
    guard let replica = found.first, !name.isEmpty else {
      let near = name.nearest(of: map(\.name)).map { "did you mean \($0)? " } ?? ""
      throw .notFound(
        "there is no replica \"\(name)\"", hint: near + "list the replicas: carillon replicas")
    }
    guard found.count == 1 else {
      throw .ambiguous(
        "\"\(name)\" matches the IDs of \(found.count) replicas",
        hint: "give more characters of the ID; list the replicas: carillon replicas")
    }
    return replica
  }

  /// Returns the replica with an ID.
  fileprivate func named(replica: ReplicaID) throws(CommandFailure) -> ReplicaInfo {
    try named(replica.description)
  }
}

extension Call {
  /// Returns which device reminds now; a command at the end is not followed by a period.
  fileprivate func reminders(_ store: Store) async throws -> (sentence: String, json: JSON) {
    let status = try await store.status()
    let words = try await DeliveryWords(store, output.time, output.terms)
    let text = words.reminders(status)
    let last = text.split(separator: "; ").last ?? ""
    let end = last.contains(": \(output.carillon) ") ? "" : "."
    return (text + end, ["reminders": words.remindersJSON(status)])
  }
}
