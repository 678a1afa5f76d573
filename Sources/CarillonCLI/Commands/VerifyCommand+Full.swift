import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

extension VerifyCommand {
  /// Checks everything, repairs if that is wanted, and prints what was found and what is left.
  func verifyFully(_ store: Store, _ bar: ProgressBar, _ call: Call) async throws {
    let (found, left): (StoreVerification, StoreVerification)
    if repair {
      let repair = try await store.repair { bar.update($0) }
      (found, left) = (repair.found, repair.left)
    } else {
      found = try await store.verifyFully { bar.update($0) }
      left = found
    }
    bar.finish()
    let isIntact = left.damages.isEmpty
    let repaired = found.damages.filter { !left.damages.contains($0) }
    let digest = isIntact ? try await store.stateDigest() : nil
    try call.output.answer([
      "ok": .bool(isIntact), "events": .integer(found.eventCount),
      "problems": .array(left.damages) { $0.json },
      "rows": .array(left.rowCounts.sorted { $0.key < $1.key }) {
        ["table": .text($0.key), "count": .integer($0.value)]
      },
      "repaired": .array(repaired) { $0.json },
      "stateDigest": .text(digest?.description),
    ]) {
      var text = repaired.map { "Repaired: \($0.place.printable)\n" }.joined()
      if let digest {
        return text + "No \(text.isEmpty ? "" : "other ")problems found in "
          + "\(found.eventCount.counted("event")).\nstate digest  \(digest)\n"
      }
      if repair, repaired.isEmpty { text += "Nothing could be repaired.\n" }
      text += left.damages.map { $0.text }.joined()
      for (table, count) in left.rowCounts.sorted(by: { $0.key < $1.key })
      where count > left.damages.count(where: { $0.table == table }) {
        text += "Table \(table): \(count.counted("row")) in all.\n"
      }
      return text + next(left.damages, call.output.carillon)
    }
    if !isIntact { throw ExitCode(ExitStatus.no.rawValue) }
  }

  /// Returns what to do about damage, one line for each remedy.
  private func next(_ damages: [StoreDamage], _ carillon: String) -> String {
    let remedies = Set(damages.map(\.remedy))
    var lines: [String] = []
    // A repair that was tried already does not help again.
    if remedies.contains(.repair), !repair { lines.append("\(carillon) verify --repair") }
    if remedies.contains(.compact) { lines.append("\(carillon) compact") }
    if remedies.contains(.sync) { lines.append("\(carillon) sync PEER") }
    if remedies.contains(.audit) || lines.isEmpty {
      lines.append("\(carillon) sync PEER --audit")
    }
    let commands = lines.map { "Next: \($0)\n" }.joined()
    guard remedies.contains(.audit) else { return commands }
    return commands + "Without another replica: carillon restore BACKUP NEW-STORE\n"
  }
}

extension StoreDamage {
  /// Where the damage is: `position 12, phone@12, table runs`.
  fileprivate var place: String {
    var parts: [String] = []
    if let position { parts.append("position \(position.rawValue)") }
    if let replica { parts.append(sequence.map { "\(replica)@\($0.rawValue)" } ?? replica) }
    if let table { parts.append("table \(table)") }
    if let key { parts.append(key) }
    return parts.isEmpty ? "the store" : parts.joined(separator: ", ")
  }

  /// What is lost.
  fileprivate var loss: String {
    switch part {
    case .event:
      position == nil
        ? "unknown, unless another replica or a backup has it"
        : "this event, unless another replica or a backup has it"
    case .content: "the content of this event, unless another replica has it"
    case .index, .freePages, .projection, .plan: "nothing; it follows from the events"
    case .notChecked: "unknown until the log is repaired"
    }
  }

  fileprivate var text: String {
    "\(place): \(message)".printable + "\n  lost: \(loss)\n"
  }

  fileprivate var json: JSON {
    [
      "part": .text(part.rawValue), "message": .text(message),
      "position": position.map { .integer($0.rawValue) } ?? .null, "replica": .text(replica),
      "sequence": sequence.map { .integer($0.rawValue) } ?? .null, "table": .text(table),
      "key": .text(key), "lost": .text(loss), "remedy": .text(remedy.rawValue),
    ]
  }
}
