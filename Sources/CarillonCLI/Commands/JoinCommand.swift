import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Foundation

/// `carillon join`: exchanges an invitation for a credential, and clones the store of the service.
struct JoinCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Join a service or a hub by invitation: clone its store.",
    discussion: """
      The invite command prints the link, on the computer of the service. It can be used once. \
      Put it in single quotes, since a shell ends a word at an &. With - in its place, it is read \
      from standard input, and other users of the computer do not see it in the list of processes.

      The link of a sealed store has a secret, which opens the store's keys on this device.

      This device gets a credential of its own, which is in the directory remotes of the new \
      store. carillon sync then needs no address.

      If the directory has a replica of that store already, it is synced instead: so a store that \
      exists joins a hub. If it has what an interrupted join left, that join goes on.

      Examples:
        carillon join 'LINK' tablet --replica tablet
        carillon join - tablet --replica tablet
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The link of the invitation, or - to read it from standard input.")
  var link: String
  @Argument(
    help: "The new or empty directory of the replica, or that of a replica which joins a hub.",
    completion: .directory)
  var directory: String
  @OptionGroup var device: DeviceFlags

  func run(_ call: Call) async throws {
    let link = try invitation(link == "-" ? try Self.linkFromInput() : link)
    let role = try device.givenRole()
    let storage = try device.storage.value(for: "--storage")
    let directory = URL(filePath: directory, directoryHint: .isDirectory)
    let lock = try await Self.lock(directory)
    defer { lock.release() }
    // All that can be wrong here is found before the invitation is used up.
    if try hasStore(directory) { return try await join(link, withStoreIn: directory, call) }
    try requireNoOther(link, directory)
    let name = try device.name()
    try await requireName(name, call)
    let clone = { (service: RemoteService) in
      let new = NewReplica(
        directory: directory, name: name, role: role ?? service.role ?? .phone, storage: storage)
      let problem: CommandFailure?
      do {
        problem = try await new.make(call, from: ServiceURL(service), call.storeOptions)
      } catch {
        if CommandFailure(error) == nil { call.output.prompt(Self.repeating) }
        throw going(on: ServiceURL(service), with: new, after: error)
      }
      if let problem { throw problem }
    }
    if let service = try? RemoteService(at: RemoteService.file(for: link.address, in: directory)) {
      call.output.note(
        "An earlier join was interrupted after it had its credential, and goes on with that.")
      do {
        return try await clone(service)
      } catch let failure as CommandFailure
        where failure.code == StoreError.Code.denied.rawValue
      {
        call.output.note("The service refuses that credential; the invitation is used for another.")
      }
    }
    try await clone(join(link, name, in: directory, call))
  }

  // MARK: -

  /// What an invitation is for.
  private struct Offer {
    let role: Device.Role
    /// The store and its keys, which the secret of the link opens; nil if the store is plain.
    let sealed: (store: StoreID, keys: [UInt8])?
  }

  /// Keeps other joins out of a directory: each would replace the credential of the other.
  private static func lock(_ directory: URL) async throws -> JoinLock {
    try await creating(at: directory) {
      do {
        return try await JoinLock(in: directory)
      } catch let error as StoreError where error.code == .busy {
        throw CommandFailure(
          status: .busy, code: error.code.rawValue,
          message: "another join runs in \(directory.relativePath)",
          hint: "wait until it has ended, and run the command again if it failed")
      }
    }
  }

  /// Reads the link from standard input, where no other user of the computer sees it.
  private static func linkFromInput() throws -> String {
    guard let line = readLine(), !line.isEmpty else {
      throw CommandFailure.usage(
        "there is no link on standard input", hint: "write the link there, and press return")
    }
    return line.trimmed
  }

  private func invitation(_ link: String) throws -> InviteLink {
    do throws(StoreError) {
      return try InviteLink(link)
    } catch {
      throw CommandFailure.usage(error.message, hint: error.hint ?? "copy the whole link")
    }
  }

  /// Whether a directory has a complete store.
  ///
  /// - Throws: `alreadyExists` if it has something else than what an interrupted join leaves.
  private func hasStore(_ directory: URL) throws -> Bool {
    guard try Store.Storage(usedIn: directory) == nil else { return true }
    do {
      try Store.requireEmpty(directory)
    } catch {
      guard var failure = CommandFailure(error) else { throw error }
      failure.hint = unused(failure.hint)
      throw failure
    }
    return false
  }

  /// Requires that no join of another service was interrupted in a directory: the store would take
  /// over its credential.
  private func requireNoOther(_ link: InviteLink, _ directory: URL) throws {
    guard try RemoteService.isOther(than: link.address, in: directory) else { return }
    throw CommandFailure(
      status: .cannotCreate, code: StoreError.Code.alreadyExists.rawValue,
      message: "\(directory.relativePath) has the credential of another service that a store was "
        + "to join",
      hint: unused("choose another directory, or go on with that join"))
  }

  private func unused(_ hint: String) -> String { hint + "; the invitation was not used" }

  /// Returns the failure for an invitation that cannot be used here, and was not.
  private func refusal(
    _ message: String, _ code: StoreError.Code = .invalidValue, hint: String
  ) -> CommandFailure {
    CommandFailure(
      status: .badData, code: code.rawValue, message: message, hint: unused(hint))
  }

  private static let copying = "copy the whole link, and join with it"

  /// Lets the store in a directory join a hub, and syncs it.
  ///
  /// The credential has the name of the replica, so that people find it by that name. An earlier
  /// one for the same service is revoked.
  private func join(_ link: InviteLink, withStoreIn directory: URL, _ call: Call) async throws {
    try await call.withStore(at: directory, mayLackKeys: true) { store in
      try requireMember(store)
      let earlier = try? RemoteService(
        at: RemoteService.file(for: link.address, in: directory))
      let isJoining = PendingRemote.service(at: link.address, in: directory) != nil
      let isEarlierValid = if let earlier { await isValid(earlier, in: directory) } else { false }
      var isUsed = false
      do {
        try await requireStore(store.id, link, directory)
      } catch let failure as CommandFailure
        where failure.status == .denied && (isJoining || isEarlierValid)
      {
        // An interrupted join may have used the invitation.
        isUsed = !isJoining
      }
      let service: ServiceURL
      if let earlier, isUsed {
        call.output.note("The invitation was used; the store has joined the service already.")
        service = ServiceURL(earlier)
      } else {
        guard try device.givenRole() == nil else {
          throw CommandFailure.usage(
            "--role: the store in \(directory.relativePath) exists, and keeps its role",
            hint: unused("leave out --role"))
        }
        let own = store.hasContents ? try await store.status().name : nil
        let name = try device.naming.replica ?? own ?? device.name()
        service = ServiceURL(try await join(link, name, in: directory, call))
        if let earlier, isEarlierValid {
          await revoke(earlier.credential, at: service, directory, call)
        } else if earlier != nil {
          call.output.note("The earlier credential of this store was revoked, and is replaced.")
        }
      }
      let ((report, use), _) = try await SyncPeer.service(service).withConnection(
        from: store, call, SyncPace()
      ) { (try await $0.sync { _ in }, $0.byteUse()) }
      for warning in report.warnings { call.output.warn(warning) }
      if let use { call.output.note(use.notice) }
      let joined: JSON = [
        "store": .text(store.id), "joined": .text(service.text), "sync": report.json,
      ]
      try call.output.answer(joined.merging(use.member), recorded: true) {
        call.output.isQuiet ? "" : "The store joined \(service.text).\n" + report.text
      }
      if let problem = report.problem(hint: SyncCommand.repairHint) { throw problem }
    }
  }

  /// Requires that the device was not revoked from its sealed store: it would get no key.
  private func requireMember(_ store: Store) throws {
    guard store.isLeftOut else { return }
    throw refusal(
      PairCommand.leftOut,
      hint: "join with a new directory; to bring what only this one has there: carillon sync "
        + "\(ShellWord.quoted(self.directory)) --store DIR")
  }

  /// Revokes the earlier credential of the store, which nothing uses any more.
  ///
  /// A hub lets a device do that. At other services, only the owner may; a warning says how.
  private func revoke(
    _ credential: String, at service: ServiceURL, _ directory: URL, _ call: Call
  ) async {
    let secret = AccessSecret(credential, byteCount: AccessSecret.credentialBytes)
    guard let id = secret.map({ AccessID(digest: $0.digestBytes).description }) else { return }
    do {
      let hub = try JoinedHub(service, of: directory)
      if try await hub.list().entries.contains(where: { $0.id == id }) { try await hub.revoke(id) }
    } catch {
      call.output.warn(
        "the earlier credential of this store may still have access; to revoke it, on the computer "
          + "of the service: carillon access revoke \(id)")
    }
  }

  /// Whether a service still accepts a credential of the store, or cannot be asked.
  private func isValid(_ service: RemoteService, in directory: URL) async -> Bool {
    let file = RemoteService.file(for: service.address, in: directory)
    do {
      _ = try await LinkProgram.ask("GET", "/v1/session", at: service.address, file)
      return true
    } catch {
      return CommandFailure(error)?.status != .denied
    }
  }

  /// Requires that an invitation is for a store, and leaves it unused.
  private func requireStore(_ id: StoreID, _ link: InviteLink, _ directory: URL) async throws {
    let answer = try await LinkProgram.join(link)
    guard case .text(let text)? = answer["store"], StoreID(text) == id else {
      throw refusal(
        "the invitation is for another store than that in \(directory.relativePath), which is "
          + "\(id)",
        .otherStore,
        hint: "choose a new directory, or ask for an invitation of this store")
    }
  }

  /// Checks the name as the creation of a store does.
  private func requireName(_ name: String, _ call: Call) async throws {
    let store = try await Store.inMemory(replica: name, options: call.storeOptions)
    await store.close()
  }

  /// Exchanges the invitation for a credential, which this device makes and stores in a directory
  /// before.
  ///
  /// The directory is created if it is missing, and removed if the service refuses. In all other
  /// cases, the same call goes on.
  private func join(
    _ link: InviteLink, _ name: String, in directory: URL, _ call: Call
  ) async throws -> RemoteService {
    let earlier = PendingRemote.service(at: link.address, in: directory)
    var offer: Offer?
    do {
      offer = try await self.offer(of: link)
    } catch let failure as CommandFailure where failure.status == .denied && earlier != nil {
      // The interrupted join may have used the invitation.
    }
    let (pending, hasNewKeys) = try await prepare(link, offer, earlier, in: directory)
    do {
      try await exchange(link, name, pending.service.credential)
      try pending.finish()
    } catch {
      guard let failure = CommandFailure(error) else {
        call.output.prompt(Self.repeating)
        throw error
      }
      if earlier == nil, [.denied, .protocol, .badData].contains(failure.status) {
        if hasNewKeys { Store.removeReceivedKeys(in: directory) }
        pending.remove()
      }
      throw failure
    }
    return pending.service
  }

  /// Stores the credential and the keys of the store, before the invitation is used.
  ///
  /// - Returns: The credential, and whether the directory had no keys.
  private func prepare(
    _ link: InviteLink, _ offer: Offer?, _ earlier: RemoteService?, in directory: URL
  ) async throws -> (PendingRemote, hasNewKeys: Bool) {
    let role = offer?.role ?? earlier?.role
    let service =
      earlier.map {
        RemoteService(
          address: link.address, credential: $0.credential, key: link.key, role: role)
      } ?? RemoteService(address: link.address, key: link.key, role: role)
    return try await creating(at: directory) {
      let pending = try PendingRemote(service, in: directory)
      guard let (store, keys) = offer?.sealed, let secret = link.secretBytes else {
        return (pending, false)
      }
      do {
        return (pending, try Store.receive(keys, under: secret, of: store, in: directory))
      } catch let error as StoreError {
        if earlier == nil { pending.remove() }
        guard error.code == .corrupt else { throw error }
        throw refusal(
          "the secret of the link does not open the keys of the store, so the link is mistyped",
          .corrupt, hint: Self.copying)
      }
    }
  }

  /// Returns what an invitation is for, and leaves it unused.
  private func offer(of link: InviteLink) async throws -> Offer {
    let answer = try await LinkProgram.join(link)
    guard case .text(let role)? = answer["role"], let role = AccessRole(rawValue: role) else {
      throw Self.malformed
    }
    guard let device = role.device else {
      throw CommandFailure(
        status: .badData, code: StoreError.Code.invalidValue.rawValue,
        message: "the invitation is for a \(role.rawValue), which has no replica",
        hint: "open the link in a browser, or ask for an invitation of a device: carillon invite "
          + "--role phone")
    }
    guard link.secret != nil || answer["keys"] == nil else {
      throw refusal(
        "the link lacks the secret of the store, which is sealed", hint: Self.copying)
    }
    let sealed = sealed(answer, link)
    guard link.secret == nil || sealed != nil else {
      throw refusal(
        "the service does not give the keys of the sealed store, which the invitation left there",
        .missingKeys, hint: "ask for another invitation, on another device of the store")
    }
    return Offer(role: device, sealed: sealed)
  }

  private func exchange(_ link: InviteLink, _ name: String, _ credential: String) async throws {
    let answer = try await LinkProgram.join(link, as: (name, credential))
    guard answer["credential"] == .text(credential) else { throw Self.malformed }
  }

  private static let malformed = CommandFailure(
    status: .protocol, code: StoreError.Code.protocolViolation.rawValue,
    message: "the service answered the invitation without a valid credential or a known role",
    hint: "use the newer version of Carillon on both sides, and ask for another invitation")

  /// Returns the store and the keys of an answer; nil if the link has no secret, or the answer no
  /// keys.
  private func sealed(
    _ answer: JSONObject, _ link: InviteLink
  ) -> (store: StoreID, keys: [UInt8])? {
    guard link.secret != nil, case .text(let store)? = answer["store"],
      let store = StoreID(store), case .text(let text)? = answer["keys"],
      let keys = Data(base64Encoded: text)
    else { return nil }
    return (store, [UInt8](keys))
  }

  /// Returns the failure of a clone, with the command that goes on.
  private func going(
    on address: ServiceURL, with new: NewReplica, after error: any Error
  ) -> any Error {
    guard var failure = CommandFailure(error) else { return error }
    let isLackingKeys = failure.code == StoreError.Code.missingKeys.rawValue
    failure.hint = goingOn(
      at: address,
      isLackingKeys
        ? Self.withoutKeys
        : "--replica \(ShellWord.quoted(new.name)) --role \(new.role.rawValue)")
    return failure
  }

  /// Returns the hint for a join that failed after it had its credential.
  private func goingOn(at address: ServiceURL, _ options: String) -> String {
    "the invitation was accepted, and its credential is kept; go on with: carillon clone "
      + "\(address.text) \(ShellWord.quoted(directory)) " + options
  }

  /// How to go on after Ctrl-C.
  private static let repeating =
    "The credential for the invitation is kept; to go on, run the same command again."

  private static let withoutKeys =
    "--without-keys; it prints how to get the keys"
}
