import Carillon
import CarillonDocuments
import CarillonModel

/// Imports complete events from NDJSON.
struct EventsImport {
  let file: String

  /// The number of events in one transaction.
  private static let batchCount = 4_000

  func run(_ call: Call) async throws {
    let lines = try InputFile(file)
    let bar = ProgressBar("importing", isQuiet: call.output.isQuiet)
    var continuation = ImportContinuation()
    let (read, added, left) = try await call.withStore { store in
      defer { bar.finish() }
      return try await add(lines, to: store, &continuation, bar)
    }
    if left > 0 {
      call.output.warn(
        "left out \(left.counted("event")) without content: no later event confirms the ID")
    }
    let answer: JSON = [
      "format": .text("events"), "read": .integer(read), "imported": .integer(added),
      "seen": .integer(read - added - left), "leftOut": .integer(continuation.leftOutCount),
    ]
    try call.output.answer(answer, recorded: added > 0) {
      call.output.isQuiet ? "" : Self.text(read: read, added: added, seen: read - added - left)
    }
    if let problem = continuation.problem {
      throw CommandFailure(
        status: .no, code: "incomplete", message: problem.message, hint: problem.hint ?? "")
    }
  }

  /// - Parameter seen: How many of the events are in the store already.
  private static func text(read: Int, added: Int, seen: Int) -> String {
    let events = read.counted("event")
    return switch (read, seen) {
    case (0, _): "There are no events to import.\n"
    case (1, 1): "The event was already here.\n"
    case (_, read): "All \(events) were already here.\n"
    case (_, 0): "Imported \(added.grouped) of \(events).\n"
    default: "Imported \(added.grouped) of \(events); \(seen.grouped) were already here.\n"
    }
  }

  private func add(
    _ lines: InputFile, to store: Store, _ continuation: inout ImportContinuation,
    _ bar: ProgressBar
  ) async throws -> (read: Int, added: Int, left: Int) {
    var reader = try lines.lines()
    var (read, added) = (0, 0)
    // Events without content, until the next event of their branch confirms the ID.
    var left: [(event: StoredEvent, line: Int)] = []
    while true {
      var batch = left.map(\.event)
      var numbers = left.map(\.line)
      let leftCount = left.count
      while batch.count < leftCount + Self.batchCount, let (number, bytes) = try reader.next() {
        batch.append(
          try lines.naming(number) { () throws(ModelError) in
            try StoredEvent(json: bytes, of: store.id)
          })
        numbers.append(number)
      }
      guard batch.count > leftCount else { return (read, added, leftCount) }
      try Task.checkCancellation()
      do {
        let result = try await store.add(batch, &continuation)
        added += result.added
        let awaiting = Set(result.awaitingSuccessor.map(\.id))
        left = zip(batch, numbers).filter { awaiting.contains($0.0.id) }.map { ($0.0, $0.1) }
      } catch let error as StoreError {
        guard let index = error.index else { throw error }
        throw CommandFailure.badData(
          "\(lines.name) line \(numbers[index]): \(error.message)",
          hint: "\(added) events before it were imported; "
            + (NextStep.specific(to: error) ?? "correct the line and run the command again"))
      }
      read += batch.count - leftCount
      bar.update(UInt64(read), of: nil)
    }
  }
}
