import ArgumentParser
import Carillon
import CarillonModel

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
    try await call.withStore { store in
      let status = try await store.status()
      let digest = digest ? try await store.stateDigest() : nil
      let words = try await ReasonWords(store, call.output)
      var health = NextStep.health(of: status, call.output)
      health += words.pausedAll.map { [$0] } ?? []
      do {
        let refusal = try DesktopQueue(of: store.directory, call)?.refusal()
        health += refusal.map { ["the last notification was not shown: \($0)"] } ?? []
      } catch let failure as CommandFailure {
        health.append(failure.message)
      }
      try call.output.answer(json(status, digest, words, health, call)) {
        text(status, digest, words.reminders(status), health, call)
      }
    }
  }

  private func json(
    _ status: StoreStatus, _ digest: StateDigest?, _ words: ReasonWords, _ health: [String],
    _ call: Call
  ) -> JSON {
    let heads = status.replicas.flatMap { info in
      info.branches.filter { !$0.isClosed }.map { (info, $0) }
    }
    let ahead = status.replicas.filter { status.clockSkew[$0.replica] != nil }
    return [
      "store": .text(status.store.description), "replica": status.replicaJSON,
      "storage": .text(status.storage?.rawValue), "events": .integer(status.eventCount),
      "versionVector": .array(heads) { info, branch in
        [
          "replica": .text(info.replica.description), "name": .text(info.name),
          "sequence": .integer(branch.headSequence.rawValue),
          "head": .text(branch.headID.description),
        ]
      },
      "unknownEvents": .integer(status.unknownEventCount),
      "unconfirmed": .integer(status.unconfirmedEventCount),
      "missing": .integer(status.missingEventCount),
      "damaged": .integer(status.damagedEventCount),
      "checkpoint": .integer(status.checkpoint.rawValue),
      "stateDigest": .text(digest),
      "coverageUntil": .text(status.coverageUntil.map(call.output.time.rfc3339)),
      "clockSkew": .array(ahead) { info in
        [
          "replica": .text(info.replica.description), "name": .text(info.name),
          "ms": .integer(status.clockSkew[info.replica, default: 0]),
        ]
      },
      "leftOut": status.leftOut.json(call.output.time),
      "reminders": words.remindersJSON(status),
      "health": .array(health) { .text($0) },
    ]
  }

  private func text(
    _ status: StoreStatus, _ digest: StateDigest?, _ reminders: String, _ health: [String],
    _ call: Call
  ) -> String {
    let heads = status.replicas.map { "\($0.name)@\($0.sequence.rawValue)" }
    var facts = [
      ("store", "\(status.store)  \(status.storage?.rawValue ?? "")"),
      (
        "replica",
        "\(status.name)  \(status.role?.rawValue ?? "")  \(status.replica)"
          + (status.isRetired ? "  retired" : "")
      ),
      ("events", status.eventCount.grouped), ("replicas", heads.joined(separator: "  ")),
      (
        "covered until",
        status.coverageUntil.map(call.output.time.text)
          ?? "no plan yet; see \(call.output.carillon) pending"
      ),
      ("reminders", reminders),
    ]
    if let digest { facts.append(("state digest", digest.description)) }
    if status.unknownEventCount > 0 {
      facts.append(
        ("unknown", "\(status.unknownEventCount.grouped) events of a newer version; kept"))
    }
    let leftOut = status.leftOut.text(
      call.output.time, capacity: call.storeOptions.capacity)
    let health = health + (leftOut.map { [$0] } ?? [])
    facts += (health.isEmpty ? ["no problems"] : health).map { ("health", $0) }
    return Table(facts: facts).rendered(on: call.output.terminal)
  }
}
