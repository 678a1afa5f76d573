package import Carillon

/// All receipts, one per line, latest first.
package struct ReceiptTable {
  private let time: LocalTime

  private static let titles = [
    "at", "title", "state", "nominal", "source", "revision", "replica", "key", "action",
    "text",
  ]

  /// Creates the table, with times in a zone.
  package init(time: LocalTime) {
    self.time = time
  }

  /// Calls a function with one line after the other.
  package func write(
    _ store: Store, _ append: (String) async throws -> Void
  ) async throws {
    let replicas = try ReplicaNames(store)
    let habits = try await HabitTitles(store)
    try await append(CSVLine(titles: Self.titles).rendered)
    for receipt in try await store.receipts(limit: .max) {
      var line = CSVLine()
      line.add(time.rfc3339(receipt.at))
      line.add(text: habits.name(receipt, time))
      line.add(receipt.state.rawValue)
      if case .occurrence(let occurrence) = habits.local(receipt.subject, time) {
        line.add(occurrence.nominal.description)
      } else {
        line.add("")
      }
      line.add(text: receipt.subject.source)
      line.add(text: receipt.subject.revision)
      line.add(text: replicas[receipt.replica])
      line.add(text: receipt.notificationID.description)
      line.add(text: receipt.answer?.action.description ?? "")
      line.add(text: receipt.answer?.text ?? "")
      try await append(line.rendered)
    }
  }
}
