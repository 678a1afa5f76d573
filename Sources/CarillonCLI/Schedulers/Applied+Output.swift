import Carillon
import CarillonDocuments

extension AppliedPlan {
  /// The answer of `plan --json`.
  func json(_ time: LocalTime) -> JSON {
    [
      "remove": .array(removals) { .text($0.description) },
      "add": .array(insertions) { $0.json(time) },
      "removeDelivered": .array(deliveredRemovals) { .text($0.description) },
      "failed": .array(failures) {
        ["id": .text($0.id?.description), "message": .text($0.message)]
      },
      "unchanged": .integer(unchanged), "foreign": .integer(foreign),
      "blocked": .text(blocked?.rawValue), "badge": .integer(badge),
      "coverageUntil": .text(time.rfc3339(coverageUntil)),
      "nextWakeHint": .text(time.rfc3339(nextWakeHint)),
    ]
  }

  /// Returns text for people: a table of what fired and what was changed, and a summary.
  ///
  /// - Parameter before: The system's pending and delivered notifications before, which supply the
  ///   titles of removed ones.
  func text(
    _ output: Output, fired: [DueEntry] = [], before: ScheduleDocument
  ) -> String {
    let held = Dictionary(before.pending.map { ($0.id, $0) }) { $1 }
    let delivered = Dictionary(before.delivered.map { ($0.id, $0) }) { $1 }
    func when(_ instant: Instant?) -> Table.Cell { .init(instant.map(output.time.text) ?? "") }
    var table = Table([
      .init(title: ""), .init(title: "when"), .init(title: "reminder", canShrink: true),
      .id,
    ])
    for (entry, firedAt) in fired {
      table.add([
        "fired", when(firedAt), .init(entry.title ?? "", .bold), .init(entry.id.description, .dim),
      ])
    }
    for id in removals {
      table.add([
        "removed", when(held[.request(id)]?.fireAt), .init(held[.request(id)]?.title ?? ""),
        .init(id.description, .dim),
      ])
    }
    for id in deliveredRemovals {
      table.add([
        "cleared", when(delivered[.request(id)]?.deliveredAt),
        .init(delivered[.request(id)]?.title ?? ""),
        .init(id.description, .dim),
      ])
    }
    for request in insertions {
      table.add([
        "added", .init(request.fireAt.map(output.time.text) ?? ""),
        .init(request.content.title, .bold), .init(request.id.description, .dim),
      ])
    }
    let isEmpty =
      fired.isEmpty && removals.isEmpty && deliveredRemovals.isEmpty && insertions.isEmpty
    return (isEmpty ? "" : table.rendered(on: output.terminal))
      + (fired.isEmpty ? "" : "\(fired.count) fired. ")
      + "Removed \(removals.count), added \(insertions.count); \(unchanged) unchanged, "
      + "\(foreign) not Carillon's" + (badge > 0 ? "; the badge is \(badge).\n" : ".\n")
      + (blocked.map { output.footer($0) } ?? "")
  }

  /// Throws if the system refused a change; all other changes were made and reported.
  ///
  /// - Throws: `io`.
  func requireComplete() throws(CommandFailure) {
    guard let first = failures.first else { return }
    let more = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
    throw CommandFailure(
      status: .inputOutput, code: "io",
      message: "the system refused a change: \(first.message)\(more)",
      hint: "run the command again; it tries the rest again")
  }
}
