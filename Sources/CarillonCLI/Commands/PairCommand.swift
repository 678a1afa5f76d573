import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon pair`: gives the keys of a sealed store to a new device by a code of six words.
struct PairCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Give the keys of a sealed store to a new device.",
    discussion: """
      Run it on both devices at the same time: on one that has the keys, and on the new one, in a \
      clone without keys. Each waits for the other, at most \(minutes) minutes. Both name the same \
      peer, which needs no keys: a directory, \
      ssh://[user@]host[:port]/path or https://host[:port]. Without a peer, it is the service that \
      the store has joined.

      The new device shows three words, which you type on the other one. That one then shows three \
      words, which you type on the new one. If somebody between the devices exchanged the \
      messages, the words differ, and no key leaves the device.

      Examples:
        carillon pair ssh://host/carillon
        carillon clone --without-keys ssh://host/carillon tablet
        carillon pair ssh://host/carillon --store tablet --replica tablet --role tablet
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The peer with which both devices sync.", completion: .directory)
  var peer: String?
  @OptionGroup var device: NamingFlags

  func run(_ call: Call) async throws {
    let directory = try call.directory()
    let (role, name) = (try device.givenRole(), try device.name())
    let peer: SyncPeer =
      if let peer {
        try SyncPeer(peer)
      } else {
        try await SyncPeer(
          joinedBy: directory, call, for: "pair",
          naming: "name the place with which both devices sync: carillon pair PEER")
      }
    let isNew = try await call.withStore(mayLackKeys: true) { store in
      guard store.isSealed else {
        throw CommandFailure(
          status: .badData, code: StoreError.Code.invalidValue.rawValue,
          message: "the store in \(directory.path) is not sealed, so a device needs no keys",
          hint: "clone it: carillon clone \(ShellWord.quoted(directory.relativePath)) DIR "
            + "--replica NAME")
      }
      let isNew = !store.hasContents
      guard !store.isLeftOut else {
        throw CommandFailure(
          status: .denied, code: StoreError.Code.denied.rawValue, message: Self.leftOut,
          hint: "make a new replica in a new directory, and pair that: carillon clone "
            + "\(ShellWord.quoted(peer.name)) DIR --replica NAME --without-keys")
      }
      let (use, problem) = try await peer.withConnection(
        from: store, call, SyncPace()
      ) { connection in
        let dialog = dialog(connection, with: peer, isNew: isNew, call)
        if isNew {
          try await store.receiveKeys(by: dialog)
        } else {
          try await store.giveKeys(by: dialog)
        }
        return connection.byteUse()
      }
      if let use { call.output.note(use.notice) }
      if let problem { throw problem }
      return isNew
    }
    guard isNew else {
      return try call.output.answer(["paired": .bool(true)], recorded: true) {
        "The new device gets the keys once these words are typed there.\n"
      }
    }
    let store = try await call.naming(directory) {
      try await Store.openFirst(
        at: directory, replica: device.replica, role: role, otherwise: name, call.storeOptions)
    }
    try await store.closing { try await RecoverCommand.answer($0, call) }
  }

  /// Why a device that was revoked gets no keys.
  static let leftOut =
    "another device of this sealed store revoked this one, and a device that returns is a new one"

  private static let minutes = PairingDialog.usualPatience.components.seconds / 60

  private func dialog(
    _ connection: PeerConnection, with peer: SyncPeer, isNew: Bool, _ call: Call
  ) -> PairingDialog {
    let other = isNew ? "other" : "new"
    let place = call.output.store == nil ? "" : ", with --store and its store"
    call.output.note(
      "Waiting for the \(other) device, at most \(Self.minutes) minutes: the command must run on "
        + "both at the same time. Run there too\(place): carillon pair "
        + ShellWord.quoted(peer.name))
    return PairingDialog(
      sync: { _ = try await connection.sync { _ in } },
      show: { words in
        let words = words.joined(separator: " ")
        call.output.prompt("Type these words on the \(other) device: \(words)")
      },
      ask: { problem in
        if let problem { call.output.prompt(problem) }
        call.output.prompt("Type the three words that the \(other) device shows:")
        guard let line = readLine() else {
          throw CommandFailure.usage(
            "standard input ended before the three words", hint: "write them there, on one line")
        }
        return line
      })
  }
}
