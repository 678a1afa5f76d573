import Carillon

/// Adds whole events from NDJSON.
struct EventsImport {
  let file: String

  /// How many events are one transaction.
  private static let batchCount = 4_000

  func run(_ call: Call) async throws {
    if let folder = RecognizedFile(folder: file) {
      throw CommandFailure.badData(
        "\(file) is \(folder.name), not a list of events", hint: folder.hint)
    }
    let lines = try InputFile(file)
    if let other = try RecognizedFile(lines) {
      throw CommandFailure.badData(
        "\(file) is \(other.name), not a list of events", hint: other.hint)
    }
    let bar = ProgressBar("importing", isQuiet: call.output.isQuiet)
    let (read, added) = try await call.withStore { store in
      defer { bar.finish() }
      return try await add(lines, to: store, bar)
    }
    try call.output.answer(["read": .integer(read), "imported": .integer(added)]) {
      call.output.isQuiet ? "" : "Imported \(added.grouped) of \(read.grouped) events.\n"
    }
  }

  private func add(
    _ lines: InputFile, to store: Store, _ bar: ProgressBar
  ) async throws -> (read: Int, added: Int) {
    var reader = try lines.lines()
    var (read, added) = (0, 0)
    while true {
      var batch: [Event] = []
      var numbers: [Int] = []
      while batch.count < Self.batchCount, let (number, bytes) = try reader.next() {
        batch.append(
          try lines.naming(number) { () throws(ModelError) in
            try Event(json: bytes, of: store.id)
          })
        numbers.append(number)
      }
      guard !batch.isEmpty else { return (read, added) }
      try Task.checkCancellation()
      do {
        added += try await store.append(events: batch)
      } catch let error as StoreError {
        guard let index = error.index else { throw error }
        throw CommandFailure.badData(
          "\(lines.name) line \(numbers[index]): \(error.message)",
          hint: "\(added) events before it were imported; "
            + (error.hint ?? "mend the line and run it again"))
      }
      read += batch.count
      bar.update(UInt64(read), of: nil)
    }
  }
}
