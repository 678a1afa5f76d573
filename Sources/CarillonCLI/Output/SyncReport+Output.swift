import Carillon

extension SyncReport {
  /// Whether the sync changed anything on either side.
  var hasMoved: Bool {
    eventsSent + eventsReceived + healed + healedThere > 0 || !forks.isEmpty
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
      "newIdentities": .array(newIdentities) { $0.json }, "healed": .integer(healed),
      "healedThere": .integer(healedThere),
      "unhealed": .array(unhealed) { damage in
        [
          "replica": .text(damage.replica.description), "sequence": .integer(damage.sequence),
          "isRemote": .bool(damage.isRemote),
        ]
      },
      "refused": .array(refused) { .text($0) }, "warnings": .array(warnings) { .text($0) },
    ]
  }

  /// What moved, for people.
  var text: String {
    guard method != .equal else {
      return stateText.isEmpty ? "Both hold the same events.\n" : stateText
    }
    var text =
      "Sent \(eventsSent.grouped) and received \(eventsReceived.counted("event")): "
      + "\((bytesSent + bytesReceived).grouped) bytes in \(messages) messages.\n"
    for fork in forks {
      text +=
        "Replica \(fork.replica) has two histories from sequence \(fork.sequence) on: "
        + "its directory was copied or rolled back. Both are kept.\n"
    }
    if healed > 0 { text += "\(healed.counted("event")) made whole again here.\n" }
    if healedThere > 0 { text += "\(healedThere.counted("event")) made whole again there.\n" }
    for damage in unhealed {
      text +=
        "Event \(damage.sequence) of replica \(damage.replica) is damaged "
        + "\(damage.isRemote ? "there" : "here"), and the other side has no whole copy.\n"
    }
    text += missingText + stateText
    return text + newIdentities.map { $0.text + "\n" }.joined()
  }
}

extension SyncReport {
  /// Whether all is there, as far as this sync tells.
  var isWhole: Bool {
    refused.isEmpty && unhealed.isEmpty && missingHere == 0 && stateDifference == nil
  }

  /// What travelled without its content.
  var missingText: String {
    var text = ""
    if missingHere > 0 {
      text +=
        "\(missingHere.counted("event")) came as an ID alone: the content is damaged or missing "
        + "there. Sync with another replica that has it.\n"
    }
    if missingThere > 0 {
      text +=
        "\(missingThere.counted("event")) sent as an ID alone: the content is damaged or missing "
        + "here. Sync --audit with a replica that has it.\n"
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
