import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon receive`: records the payload of a remote notification.
struct ReceiveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Record the payload of a remote notification, and print it.",
    discussion: """
      The payload is the JSON that the push service delivered. A payload that cannot be parsed is \
      recorded too, with the problem.

      A payload that was received before is the same notification, and is not shown again. To show \
      the same text another time, give the payload an ID of its own, of 1 to 64 bytes:
        {"aps":{"alert":"Drink"},"carillon-id":"drink-2026-11-23"}
      """)

  @OptionGroup var global: GlobalOptions

  @Option(
    name: .customLong("collapse-id"),
    help: ArgumentHelp(
      "The push's collapse ID, from its headers; a later push with the same ID replaces this one.",
      valueName: "id"))
  var collapseID: String?

  @Argument(help: "The file, or - for standard input.") var file: String

  func run(_ call: Call) async throws {
    let content = try InputFile(file).wholeContents(
      maxBytes: PushReceived.maxContentBytes,
      hint:
        "give a payload of at most \(PushReceived.maxContentBytes) bytes; nothing was recorded")
    try await call.withStore { store in
      let intake = try await store.receive([UInt8](content), collapseID: collapseID)
      try call.output.answer(intake.json, recorded: !intake.written.events.isEmpty) {
        var facts = [("push", intake.id), ("kind", intake.payload.kind.rawValue)]
        facts += [
          ("title", intake.payload.title), ("body", intake.payload.body),
          ("badge", intake.payload.badge.map { "\($0)" }), ("problem", intake.payload.problem),
        ].compactMap { name, text in text.map { (name, $0) } }
        let what =
          intake.repeated
          ? "Already received; there is nothing to show. A payload with a new carillon-id is new: "
            + "carillon help receive"
          : intake.replaced ? "It replaces the previous push." : ""
        return Table(facts: facts).rendered(on: call.output.terminal)
          + (what.isEmpty ? "" : what + "\n")
          + (intake.blocked.map { call.output.footer($0) } ?? "")
      }
    }
  }
}
