import Carillon
import CarillonDocuments
import CarillonSync

extension SyncReport {
  /// Whether the sync changed anything on either side.
  var hasMoved: Bool {
    eventsSent + eventsReceived + repaired + repairedThere > 0 || !forks.isEmpty
      || !newIdentities.isEmpty
  }

  /// The report as text for people.
  var text: String {
    guard method != .equal || !refused.isEmpty else {
      let text = missingText + stateText
      return text.isEmpty ? "Both have the same events.\n" : text
    }
    var text =
      "Sent \(eventsSent.grouped) and received \(eventsReceived.counted("event")): "
      + "\((bytesSent + bytesReceived).grouped) bytes in \(messages) messages.\n"
    for fork in forks {
      text +=
        "Replica \(fork.replica) has two histories from sequence \(fork.sequence) on, since its "
        + "directory was copied or restored. Both are kept.\n"
    }
    if repaired > 0 { text += "\(repaired.counted("event")) repaired here.\n" }
    if repairedThere > 0 { text += "\(repairedThere.counted("event")) repaired there.\n" }
    text += missingText + stateText
    return text + newIdentities.map { $0.text + "\n" }.joined()
  }
}

extension SyncReport {
  /// Returns why the sync is incomplete; nil if both sides have the same events, all intact.
  ///
  /// - Parameter hint: What to try next.
  func problem(hint: String) -> CommandFailure? {
    var problems = refused.map { "the sync left events out: \($0)" }
    problems += unrepaired.map { "still damaged: \($0.text)" }
    if missingHere + missingThere > 0 {
      let places = [(missingHere, "here"), (missingThere, "there")].filter { $0.0 > 0 }
      problems.append(
        places.map { "only the ID of \($0.counted("event")) is stored \($1)" }
          .joined(separator: ", and "))
    }
    if stateDifference != nil {
      problems.append("both have the same events, but different states")
    }
    if headsDiffer, refused.isEmpty {
      problems.append("one side has events that the other lacks")
    }
    guard let first = problems.first else { return nil }
    let more = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
    return CommandFailure(
      status: .no, code: "incomplete", message: first + more, hint: hint)
  }

  /// The events without content, as text for people.
  var missingText: String {
    var text = ""
    if missingHere > 0 {
      text +=
        "Only the ID of \(missingHere.counted("event")) is stored here: the content is damaged or "
        + "missing there too. Sync with another replica that has it.\n"
    }
    if missingThere > 0 {
      text +=
        "Only the ID of \(missingThere.counted("event")) is stored there: the content is damaged "
        + "or missing here too. Sync --audit with a replica that has it.\n"
    }
    return text
  }

  /// The side whose state does not match its events, as text for people.
  private var stateText: String {
    guard let stateDifference else { return "" }
    let cure =
      switch stateDifference {
      case .here: "Rebuild this one: carillon rebuild"
      case .there: "Rebuild the other one: carillon rebuild"
      case .both: "Each state matches its own events: one side lacks a payload that the other has"
      }
    return "Both have the same events, but different states. \(cure)\n"
  }
}

extension SyncResponse {
  /// Returns why this side did not store all events, or their content, that it was sent; nil if it
  /// did.
  ///
  /// - Parameter path: The store's path, since the message may be read on another computer.
  func problem(in path: String) -> CommandFailure? {
    guard !isComplete else { return nil }
    var problems = refused.map { "refused: \($0)" }
    if missing > 0 { problems.append("only the ID of \(missing.counted("event")) is stored") }
    return CommandFailure(
      status: .no, code: "incomplete",
      message: "\(path): the sync is incomplete there: \(problems.joined(separator: "; "))",
      hint: "sync it with a replica that has these events: carillon sync PEER --audit")
  }
}

extension SyncDamage {
  /// The damaged event, as a clause for people.
  fileprivate var text: String {
    "event \(sequence) of replica \(replica) is damaged \(isRemote ? "there" : "here"), and the "
      + "other side has no intact copy"
  }
}

extension SyncNewIdentity {
  /// The new identity, as a sentence for people.
  var text: String {
    "Another copy of the store wrote as \(predecessor), so this copy took a new ReplicaID: "
      + "\(replica)."
  }
}
