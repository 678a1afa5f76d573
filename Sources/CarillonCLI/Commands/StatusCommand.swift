import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Foundation

/// `carillon status`: shows the status of a store.
struct StatusCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the store's ID, replica and health.")

  @OptionGroup var global: GlobalOptions
  @Flag(
    help: ArgumentHelp(
      "Show the state digest, which is equal on replicas that hold the same events. It reads all "
        + "rows if anything changed."))
  var digest = false

  func run(_ call: Call) async throws {
    try await Self.answer(call, withDigest: digest)
  }

  /// Prints the status of the store, and its state digest if asked for.
  static func answer(_ call: Call, withDigest: Bool = false) async throws {
    try await call.withStore(mayLackKeys: true) { store in
      var document = try await StatusDocument(
        store, call.output.time, call.output.terms, withDigest: withDigest)
      do {
        let refusal = try DesktopQueue(of: store.directory, call)?.refusal()
        document.health += refusal.map { ["the last notification was not shown: \($0)"] } ?? []
      } catch let failure as CommandFailure {
        document.health.append(failure.message)
      }
      document.health += RemoteRefusal.all(of: store.directory).map {
        "at the last sync: \($0.message); \($0.hint)"
      }
      if !store.hasContents {
        document.health.append("to bring the keys back: \(call.output.carillon) recover")
      }
      try call.output.answer(document.json) {
        text(document, RemoteService.addresses(of: store.directory), call)
      }
    }
  }

  /// - Parameter joined: The addresses of the services and hubs that the store joined.
  private static func text(
    _ document: StatusDocument, _ joined: [URL], _ call: Call
  ) -> String {
    let status = document.status
    let heads = status.replicas.map { "\($0.name)@\($0.sequence.rawValue)" }
    var facts = [
      ("store", "\(status.store)  \(status.storage?.rawValue ?? "")"),
      (
        "replica",
        "\(status.name)  \(status.role?.rawValue ?? "")  \(status.replica)"
          + (status.isRetired ? "  retired" : "")
      ),
      ("events", status.eventCount.grouped), ("replicas", heads.joined(separator: "  ")),
    ]
    if let reminders = document.reminders {
      let until =
        status.coverageUntil.map(call.output.time.text)
        ?? "no plan yet; see \(call.output.carillon) pending"
      facts += [("covered until", until), ("reminders", reminders)]
    }
    if let epoch = status.sealingEpoch {
      facts.append(("sealed", "yes, with the key of epoch \(epoch)"))
    }
    facts += joined.map { ("joined", $0.absoluteString) }
    if let digest = document.digest { facts.append(("state digest", digest.description)) }
    if status.unknownEventCount > 0 {
      facts.append(
        ("unknown", "\(status.unknownEventCount.grouped) events of a newer version; kept"))
    }
    let leftOut = status.leftOut.text(
      call.output.time, capacity: call.storeOptions.capacity)
    let health = document.health + (leftOut.map { [$0] } ?? [])
    facts += (health.isEmpty ? ["no problems"] : health).map { ("health", $0) }
    return Table(facts: facts).rendered(on: call.output.terminal)
  }
}
