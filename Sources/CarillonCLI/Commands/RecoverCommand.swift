import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon recover`: brings the keys of a sealed store back.
struct RecoverCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "recover", abstract: "Open a sealed store with its recovery phrase.",
    discussion: """
      The store is a replica without keys, which was restored from a backup or cloned. The command \
      reads the 24 words from standard input, on any number of lines, so that no list of processes \
      shows them. This computer then counts as a new device of the store. After a restore, it has \
      the name, the role and the switches of the device that was backed up, unless --replica or \
      --role is given.

      Examples:
        carillon restore ~/backups/carillon phone
        carillon recover --store phone
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var device: NamingFlags

  func run(_ call: Call) async throws {
    let (role, name) = (try device.givenRole(), try device.name())
    let directory = try call.directory()
    let words = try Self.words(call)
    let store = try await call.naming(directory) {
      try await Store.recover(
        at: directory, phrase: words, replica: device.replica, role: role, otherwise: name,
        options: call.storeOptions)
    }
    try await store.closing { try await Self.answer($0, call) }
  }

  /// Prints that a store can be read now.
  static func answer(_ store: Store, _ call: Call) async throws {
    let status = try await store.status()
    try call.output.answer(
      [
        "store": .text(status.store.description), "replica": .text(status.replica.description),
        "epoch": .text(status.sealingEpoch), "events": .integer(status.eventCount),
      ], recorded: true
    ) {
      call.output.isQuiet
        ? ""
        : "Opened store \(status.store) as replica \(status.name.printable): "
          + "\(Int(clamping: status.eventCount).counted("event"))\n"
    }
  }

  /// Reads words from standard input, until there are enough or the input ends.
  private static func words(_ call: Call) throws(CommandFailure) -> String {
    if isatty(STDIN_FILENO) == 1 { call.output.note("Type the \(count) words of the phrase.") }
    var words: [Substring] = []
    while words.count < count, let line = readLine() {
      words += line.split(whereSeparator: \.isWhitespace).prefix(count + 1)
    }
    guard !words.isEmpty else {
      throw .usage(
        "there are no words on standard input", hint: "write the \(count) words there")
    }
    return words.joined(separator: " ")
  }

  private static let count = 24
}
