import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon clone`: creates a new replica of a store, and syncs it.
struct CloneCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Create a new replica of a store, and sync it.",
    discussion: """
      The source is a replica in a directory, ssh://[user@]host[:port]/path on another computer, \
      or https://host[:port][/path], which is a service; see the help of the sync command. With \
      an invitation to a service, use the join command.

      The clone of a sealed store gets its keys if the source is a directory. With --without-keys, \
      it gets none: it can be synced and backed up, but not read. Over a network, no keys are \
      sent; use an invitation, or the command recover in the clone.

      To move a store to another storage, clone it, and then use the clone. The old replica is not \
      changed; keep it or remove it.

      Examples:
        carillon clone phone watch --replica watch --role watch
        carillon clone ssh://me@host/~/phone desk --replica desk --role desktop
        carillon clone phone phone-sqlite --replica phone2 --storage sqlite
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "The replica to clone: its directory, ssh://[user@]host[:port]/path, or https://host.",
    completion: .directory)
  var from: String
  @Argument(help: "The new or empty directory of the clone.", completion: .directory)
  var directory: String
  @OptionGroup var device: DeviceFlags
  @Flag(help: "Leave the keys of a sealed store out: the clone cannot be read.")
  var withoutKeys = false

  func run(_ call: Call) async throws {
    let new = NewReplica(
      directory: URL(filePath: directory, directoryHint: .isDirectory), name: try device.name(),
      role: try device.givenRole() ?? .phone, storage: try device.storage.value(for: "--storage"),
      source: from)
    var options = call.storeOptions
    options.mayLackKeys = withoutKeys
    var problem: CommandFailure?
    switch try SyncPeer(from) {
    case .directory(let source):
      problem = try await call.withStore(at: source, mayLackKeys: true) { source in
        try requireWritable(source, for: new.directory)
        return try await new.make(call) { progress in
          try await Store.clone(
            source, at: new.directory, replica: new.name, role: new.role, storage: new.storage,
            options: options, progress: progress)
        }
      }
    case .remote(let address):
      let (here, there) = try await RemoteConnection(
        address, stallInterval: PipeTransport.defaultStallInterval
      )
      .run {
        let (problem, unsent) = try await new.make(call, over: $0, options)
        // The exit code there may say why.
        if let unsent { throw unsent }
        return problem
      }
      problem = here ?? there
    case .service(let address):
      problem = try await new.make(call, from: address, options)
    }
    if let problem { throw problem }
  }

  /// Throws if the source can only be read, since a clone is recorded there.
  private func requireWritable(_ source: Store, for target: URL) throws(CommandFailure) {
    let path = source.directory.path
    guard !FileManager.default.isWritableFile(atPath: path) else { return }
    throw CommandFailure(
      status: .cannotCreate, code: StoreError.Code.readOnly.rawValue,
      message: "\(path) can only be read, but a clone must be recorded there",
      hint: "copy the directory; a copy takes its own identity: cp -R "
        + "\(ShellWord.quoted(path)) \(ShellWord.quoted(target.path))")
  }
}
