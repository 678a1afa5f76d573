import ArgumentParser
import Carillon

/// `carillon receive`: intake of a remote notification.
struct ReceiveCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Take in the payload of a remote notification.",
    discussion: """
      Also a payload that cannot be read is kept. What it says is printed and recorded, and stands \
      in no log.
      """)

  @OptionGroup var global: GlobalOptions

  @Option(
    name: .customLong("collapse-id"),
    help: ArgumentHelp(
      "The collapse id of the headers: a later push of the same id replaces it.", valueName: "id"))
  var collapseID: String?

  @Argument(help: "A file, or - for standard input.") var file: String

  func run(_ call: Call) async throws {
    let content = try InputFile(file).wholeContents(
      maxBytes: PushReceived.maxContentBytes,
      hint: "no push service delivers more; nothing was recorded")
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
          ? "Received before; there is nothing to show."
          : intake.replaced ? "It replaces the one before." : ""
        return Table(facts: facts).rendered(on: call.output.terminal)
          + (what.isEmpty ? "" : what + "\n") + (intake.blocked.map { $0.text + "\n" } ?? "")
      }
    }
  }
}

extension PushIntake {
  fileprivate var json: JSON {
    let intake: JSON = [
      "push": .text(id), "kind": .text(payload.kind.rawValue), "revision": .text(revision),
      "replaced": .bool(replaced), "repeated": .bool(repeated),
    ]
    return intake.merging(payload.json).merging(["blocked": .text(blocked?.rawValue)])
      .merging(written.json)
  }
}

extension PushPayload {
  fileprivate var json: JSON {
    let texts: [(key: String, value: JSON)] = [
      ("title", .text(title)), ("subtitle", .text(subtitle)), ("body", .text(body)),
      ("sound", .text(sound)), ("category", .text(category)), ("thread", .text(thread)),
      ("interruptionLevel", .text(interruptionLevel)), ("problem", .text(problem)),
    ]
    let badge: JSON = badge.map { .integer($0) } ?? .null
    return JSON.object(texts).merging([
      "badge": badge, "mutable": .bool(isMutable), "custom": .object(customMembers),
    ])
  }
}
