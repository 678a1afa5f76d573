import Carillon
import CarillonDocuments

extension [LeftOutSchedule] {
  /// Returns the text as a paragraph that fits the terminal, or an empty text.
  func paragraph(_ output: Output, capacity: Int) -> String {
    guard let text = text(output.time, capacity: capacity).map({ $0 + "." }) else { return "" }
    let lines = output.terminal.width.map { text.wrapped(to: $0) } ?? [text]
    return lines.map { $0 + "\n" }.joined()
  }
}

extension Call {
  /// Returns a warning if a changed schedule does not fit the system's queue, or if another one
  /// does not fit since the change; otherwise nothing.
  ///
  /// - Parameters:
  ///   - before: The schedules that did not fit before the change.
  ///   - changed: The schedules that were changed.
  func queueWarnings(
    _ store: Store, before: [LeftOutSchedule], changed: [ScheduleID]
  ) async throws -> [String] {
    let known = Set(before.map(\.schedule)).subtracting(changed)
    let plan = try await store.plan()
    let new = plan.leftOut.filter { !known.contains($0.schedule) }
    return new.text(output.time, capacity: plan.capacity).map { [$0] } ?? []
  }
}
