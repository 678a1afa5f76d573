import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon show`: shows one event in full.
struct ShowCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show an event, such as phone@17.",
    discussion: """
      If several branches of a replica have an event of this sequence, ~SUFFIX selects one of them \
      by its ID suffix, the last 16 digits of its ID. The first digits of the suffix suffice.

      Examples:
        carillon show phone@17
        carillon show 12

      The last line is the event as it is exported. Amounts in it are in thousandths.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: ArgumentHelp(
      "NAME@SEQUENCE, NAME~SUFFIX@SEQUENCE, a position in this log, or the 64 hexadecimal digits "
        + "of an ID."))
  var event: String

  func run(_ call: Call) async throws {
    try await call.withStore(mayLackKeys: true) { store in
      call.noteLackOfKeys(in: store, "what the event says")
      let found = try await store.events(named: event)
      let names = try ReplicaNames(store)
      guard let logged = found.first else {
        throw CommandFailure.notFound(
          "there is no event \(event)", hint: "list the events: carillon log")
      }
      guard found.count == 1 else {
        let candidates = found.map {
          "\(names[$0.event.replica])~\($0.event.shortSuffix)@\($0.event.sequence.rawValue)"
        }
        throw CommandFailure.ambiguous(
          "\(event) matches \(found.count) events: \(candidates.joined(separator: ", "))",
          hint: "give one of these names")
      }
      let document = logged.document(name: names[logged.event.replica], exportingFrom: store.id)
      try call.output.answer(.object(document)) { try text(logged, document.description, call) }
    }
  }

  private func text(_ logged: LoggedEvent, _ json: String, _ call: Call) throws -> String {
    let event = logged.event
    let time = Instant(milliseconds: event.timestamp.milliseconds)
    return Table(facts: [
      ("event", logged.typeName), ("id", event.id.description),
      ("written", call.output.time.text(time)), ("by", event.replica.description),
      ("sequence", "\(event.sequence.rawValue)"), ("position", "\(logged.position.rawValue)"),
      ("bytes", "\(event.payload.count)"),
    ]).rendered(on: .none) + json.withoutControls + "\n"
  }
}
