import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon seal`: creates a sealed store from a plain one.
struct SealCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "seal", abstract: "Create a sealed store with the history of this one.",
    discussion: """
      Events cannot be sealed where they are, because their IDs commit to their bytes. The command \
      creates a new store with the same history, under a new ID, and changes nothing in this one. \
      Sync all devices first. Then invite them to the new store, and remove the old one.

      What was sent plainly stays readable to whoever has it: a service or hub that synced the old \
      store, and its backups.

      The command prints 24 words, once, as init --sealed does.

      Examples:
        carillon seal ~/carillon-sealed
        carillon seal ~/carillon-sealed --store phone
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The new or empty directory of the sealed store.", completion: .directory)
  var directory: String
  @Option(
    help: ArgumentHelp(
      "The storage of the log: \(Store.Storage.names.joined(separator: " or ")).",
      valueName: "storage"))
  var storage = Given<Store.Storage>(argument: Store.Storage.standard.rawValue)

  func run(_ call: Call) async throws {
    let storage = try storage.value(for: "--storage")
    let target = URL(filePath: directory, directoryHint: .isDirectory)
    let bar = ProgressBar("sealing", isQuiet: call.output.isQuiet)
    defer { bar.finish() }
    try await call.withStore { plain in
      try await creating(at: target) {
        let (store, phrase, count) = try await plain.seal(to: target, storage: storage) {
          bar.update($0)
        }
        bar.finish()
        let status = try await store.status()
        await store.close()
        let made = status.madeJSON.merging([
          "events": .integer(count), "recoveryPhrase": .array(phrase) { .text($0) },
        ])
        try call.output.answer(made, recorded: true) {
          InitCommand.text(phrase)
            + (call.output.isQuiet
              ? ""
              : "Created sealed store \(status.store) in \(target.path.printable): "
                + "\(count.counted("event"))\nThe store in \(plain.directory.path.printable) has "
                + "not changed. Whoever synced it can still read what it has.\n")
        }
      }
    }
  }
}
