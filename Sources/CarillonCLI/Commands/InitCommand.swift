import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon init`: creates a store.
struct InitCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Create a store in a new or empty directory.",
    discussion: """
      Without --store and CARILLON_STORE, the directory is ~/.local/share/carillon, or \
      $XDG_DATA_HOME/carillon. All commands then find the store there. Without --replica, the \
      replica has the name of this device. The store has no time zone: each command uses that of \
      the device, which TZ or the system sets.

      With --sealed, whoever else keeps the events, such as a hub, cannot read them. The command \
      prints 24 words, once. Write them down: if the last device is lost, only they open a backup.

      Examples:
        carillon init
        carillon init --replica desk --role desktop
        carillon init --store phone --replica phone
        carillon init --sealed
        carillon init --store desk --replica desk --role desktop --storage sqlite
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var device: DeviceFlags

  @Option(
    help: ArgumentHelp(
      "Create a replica of the existing store with this ID (default: a new store).",
      valueName: "uuid"))
  var storeId: String?

  @Flag(help: "Seal all events, so that only this person's devices can read them.")
  var sealed = false

  func run(_ call: Call) async throws {
    let role = try device.givenRole()
    let storage = try device.storage.value(for: "--storage")
    let name = try device.name()
    var storeID = StoreID.random()
    if let storeId {
      guard let given = StoreID(storeId) else {
        throw CommandFailure.badValue(
          "--store-id: \"\(storeId)\" is not a UUID",
          hint: "leave out --store-id to create a new store")
      }
      storeID = given
    }
    let directory = try call.newDirectory()
    try await creating(
      at: directory,
      hint: "choose a directory that can be created and written: carillon init --store DIR"
    ) {
      let (store, phrase) = try await create(
        at: directory, name, role ?? .phone, storeID, storage, call.storeOptions)
      let status = try await store.status()
      let made = try await status.madeJSON.merging(store.descriptionJSON(status))
        .merging(Self.json(phrase))
      await store.close()
      noteZone(call)
      try call.output.answer(made, recorded: true) {
        (phrase.map(Self.text) ?? "")
          + (call.output.isQuiet
            ? ""
            : "Created replica \(status.name.printable) of store \(status.store) in "
              + "\(directory.path.printable)\n"
              + (role == nil
                ? "Its role is phone; to change that: \(call.output.carillon) replicas "
                  + "role \(NextCommand.argument(status.name, or: status.replica)) ROLE\n" : "")
              + "Next: \(call.output.carillon) habit add Walk --at 17:00\n")
      }
    }
  }

  /// Creates a store, and returns its recovery phrase if it is sealed.
  private func create(
    at directory: URL, _ name: String, _ role: Device.Role, _ id: StoreID,
    _ storage: Store.Storage, _ options: StoreOptions
  ) async throws -> (store: Store, phrase: [String]?) {
    guard sealed else {
      let store = try await Store.create(
        at: directory, replica: name, role: role, storeID: id, storage: storage, options: options)
      return (store, nil)
    }
    guard storeId == nil else {
      throw CommandFailure.usage(
        "--sealed and --store-id cannot be used together",
        hint: "to make a replica of a sealed store: carillon clone A B, or carillon join LINK DIR")
    }
    let (store, phrase) = try await Store.createSealed(
      at: directory, replica: name, role: role, storage: storage, options: options)
    return (store, phrase)
  }

  /// The recovery phrase for programs.
  private static func json(_ phrase: [String]?) -> JSON {
    guard let phrase else { return [:] }
    return ["recoveryPhrase": .array(phrase) { .text($0) }]
  }

  /// The recovery phrase for people.
  static func text(_ phrase: [String]) -> String {
    let lines = stride(from: 0, to: phrase.count, by: 6).map { start in
      "  " + phrase[start..<min(start + 6, phrase.count)].joined(separator: " ") + "\n"
    }
    return "Write down these \(phrase.count) words in this order, on paper. They are shown once. "
      + "Without them and without a device of the store, nobody can open it:\n\n"
      + lines.joined() + "\n"
  }

  /// Notes that a zone other than the device's is not kept.
  private func noteZone(_ call: Call) {
    guard let zone = global.zone?.text, call.zone != TimeZone.device else { return }
    call.output.note(
      "--zone holds for this command only; for all commands: "
        + "export TZ=\(ShellWord.quoted(zone))")
  }
}

/// The flags that describe a new replica.
struct DeviceFlags: ParsableArguments {
  @OptionGroup var naming: NamingFlags
  @Option(
    help: ArgumentHelp(
      "The storage of the log: \(Store.Storage.names.joined(separator: " or ")).",
      valueName: "storage"))
  var storage = Given<Store.Storage>(argument: Store.Storage.standard.rawValue)

  /// Returns the role that was given, or nil.
  func givenRole() throws(CommandFailure) -> Device.Role? { try naming.givenRole() }

  /// Returns the replica's name, as ``NamingFlags/name()``.
  func name() throws(CommandFailure) -> String { try naming.name() }
}

/// What a new device is called, and what it is.
struct NamingFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The replica's name, 1 to 64 bytes (default: the name of this device).", valueName: "name"))
  var replica: String?

  @Option(
    help: ArgumentHelp(
      "The kind of device: phone, tablet, watch, desktop or server (default: that of an "
        + "invitation, or else phone).", valueName: "role"))
  var role: Given<Device.Role>?

  /// Returns the role that was given, or nil.
  func givenRole() throws(CommandFailure) -> Device.Role? { try role.value(for: "--role") }

  /// Returns the replica's name: the given one, or the first part of the host's name.
  ///
  /// - Throws: A usage error if none is given and the host's name is none.
  func name() throws(CommandFailure) -> String {
    if let replica { return replica }
    var bytes = [CChar](repeating: 0, count: 256)
    let isKnown = gethostname(&bytes, bytes.count - 1) == 0
    let host = isKnown ? bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } : []
    let name = String(decoding: host.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
    guard (1...64).contains(name.utf8.count), name != "localhost", name == name.printable else {
      throw .usage("this device has no name to use", hint: "give one such as --replica phone")
    }
    return name
  }
}

/// Calls a function that creates a store or a backup.
///
/// - Throws: `cannotCreate` (exit code 73) for any error of the file system except a full disk,
///   which is named.
func creating<Result>(
  at place: URL, hint: String? = nil, _ body: () async throws -> Result
) async throws -> Result {
  do {
    return try await body()
  } catch let error as StoreError where error.reason == .existingStore {
    var failure = CommandFailure(store: error)
    failure.hint =
      "use the store that is there, such as with "
      + "\(NextCommand.carillon(store: place.relativePath)) status; or choose another directory"
    throw failure
  } catch let error as StoreError {
    let failure =
      CommandFailure(creating: error, onDiskOf: place)
      ?? CommandFailure(creating: error, hint: hint)
    throw failure ?? error
  }
}

extension Store {
  /// Returns `{"events":[…]}` with the event that describes the device of a new replica, its latest
  /// one.
  func descriptionJSON(_ status: StoreStatus) async throws -> JSON {
    var described: [LoggedEvent] = []
    for replica in status.replicas where replica.replica == status.replica {
      if let event = try await event(replica.head) { described.append(event) }
    }
    return [
      "events": .array(described) { logged in
        [
          "position": .integer(logged.position.rawValue),
          "sequence": .integer(logged.event.sequence.rawValue),
          "id": .text(logged.event.id.description), "type": .text(logged.typeName),
        ]
      }
    ]
  }
}

extension StoreStatus {
  /// The store, replica and storage that `init` and `clone` created.
  var madeJSON: JSON {
    [
      "store": .text(store.description), "replica": replicaJSON,
      "storage": .text(storage?.rawValue),
    ]
  }
}
