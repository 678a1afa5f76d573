import Carillon

extension SyncReport {
  /// Whether the sync changed anything on either side.
  var hasMoved: Bool {
    eventsSent + eventsReceived + repaired + repairedThere > 0 || !forks.isEmpty
      || !newIdentities.isEmpty
  }

  /// As documented; sent and received as the first-named store sees it.
  var json: JSON {
    [
      "method": .text(method.rawValue), "messages": .integer(messages),
      "roundTrips": .integer(roundTrips), "bytesSent": .integer(bytesSent),
      "bytesReceived": .integer(bytesReceived), "eventsSent": .integer(eventsSent),
      "eventsReceived": .integer(eventsReceived),
      "forks": .array(forks) { fork in
        [
          "replica": .text(fork.replica.description), "sequence": .integer(fork.sequence),
          "heads": .array(fork.heads) { .text($0.description) },
        ]
      },
      "missingHere": .integer(missingHere), "missingThere": .integer(missingThere),
      "stateDifference": .text(stateDifference?.rawValue),
      "newIdentities": .array(newIdentities) { $0.json }, "repaired": .integer(repaired),
      "repairedThere": .integer(repairedThere),
      "unrepaired": .array(unrepaired) { damage in
        [
          "replica": .text(damage.replica.description), "sequence": .integer(damage.sequence),
          "isRemote": .bool(damage.isRemote),
        ]
      },
      "headsDiffer": .bool(headsDiffer),
      "refused": .array(refused) { .text($0) }, "warnings": .array(warnings) { .text($0) },
    ]
  }

  /// What moved, for people.
  var text: String {
    guard method != .equal || !refused.isEmpty else {
      let text = missingText + stateText
      return text.isEmpty ? "Both hold the same events.\n" : text
    }
    var text =
      "Sent \(eventsSent.grouped) and received \(eventsReceived.counted("event")): "
      + "\((bytesSent + bytesReceived).grouped) bytes in \(messages) messages.\n"
    for fork in forks {
      text +=
        "Replica \(fork.replica) has two histories from sequence \(fork.sequence) on: "
        + "its directory was copied or rolled back. Both are kept.\n"
    }
    if repaired > 0 { text += "\(repaired.counted("event")) repaired again here.\n" }
    if repairedThere > 0 { text += "\(repairedThere.counted("event")) repaired again there.\n" }
    text += missingText + stateText
    return text + newIdentities.map { $0.text + "\n" }.joined()
  }
}

extension SyncReport {
  /// Why not all was exchanged, or not all is intact; nil where both sides hold the same events.
  ///
  /// - Parameter hint: What to try next.
  func problem(hint: String) -> CommandFailure? {
    var problems = refused.map { "the sync left events out: \($0)" }
    problems += unrepaired.map { "still damaged: \($0.text)" }
    if missingHere + missingThere > 0 {
      problems.append(
        "the content of some events could not be had: "
          + "\(missingHere.counted("event")) here and \(missingThere) there held by ID alone")
    }
    if stateDifference != nil { problems.append("both hold the same events, but not one state") }
    if headsDiffer, refused.isEmpty {
      problems.append("one side holds events that the other lacks")
    }
    guard let first = problems.first else { return nil }
    let more = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
    return CommandFailure(
      status: .no, code: "incomplete", message: first + more, hint: hint)
  }

  /// What is held without its content.
  var missingText: String {
    var text = ""
    if missingHere > 0 {
      text +=
        "\(missingHere.counted("event")) held by ID alone here: the content is damaged or missing "
        + "there too. Sync with another replica that has it.\n"
    }
    if missingThere > 0 {
      text +=
        "\(missingThere.counted("event")) held by ID alone there: the content is damaged or "
        + "missing here too. Sync --audit with a replica that has it.\n"
    }
    return text
  }

  /// Whose state is not what its events come to.
  private var stateText: String {
    guard let stateDifference else { return "" }
    let cure =
      switch stateDifference {
      case .here: "Rebuild this one: carillon rebuild"
      case .there: "Rebuild the other one: carillon rebuild"
      case .both: "Each is what its own events come to: one lacks a payload that the other has"
      }
    return "Both hold the same events, but read different states out of them. \(cure)\n"
  }
}

extension SyncAnswered {
  /// Why this side does not hold all that it was sent, or not its content; nil where it does.
  ///
  /// - Parameter path: The store's, since the sentence may be read on another computer.
  func problem(in path: String) -> CommandFailure? {
    guard !isComplete else { return nil }
    var problems = refused.map { "refused: \($0)" }
    if missing > 0 { problems.append("\(missing.counted("event")) held by ID alone") }
    return CommandFailure(
      status: .no, code: "incomplete",
      message: "\(path): the sync is not complete there: \(problems.joined(separator: "; "))",
      hint: "sync it with a replica that has these events: carillon sync PEER --audit")
  }
}

extension SyncDamage {
  /// One clause for people.
  fileprivate var text: String {
    "event \(sequence) of replica \(replica) is damaged \(isRemote ? "there" : "here"), and the "
      + "other side has no intact copy"
  }
}

extension SyncNewIdentity {
  var json: JSON {
    ["replica": .text(replica.description), "predecessor": .text(predecessor.description)]
  }

  /// One sentence for people.
  var text: String {
    "Somebody else wrote as \(predecessor), so that replica took a new ReplicaID: it goes on as "
      + "\(replica)."
  }
}
