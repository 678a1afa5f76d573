import Carillon

/// All receipts, one per line, latest first.
struct ReceiptTable {
  let time: LocalTime

  private static let titles = [
    "at", "title", "state", "nominal", "source", "revision", "replica", "key", "action",
    "text",
  ]

  func write(_ store: Store, to output: ByteOutput) async throws {
    let replicas = try ReplicaNames(store)
    let habits = try await HabitTitles(store)
    var buffer = LineBuffer(to: output)
    try buffer.append(CSVLine(titles: Self.titles).rendered)
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
      try buffer.append(line.rendered)
    }
    try buffer.flush()
  }
}
