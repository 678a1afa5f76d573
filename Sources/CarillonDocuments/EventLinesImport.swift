package import Carillon
import CarillonModel

/// An import of complete events from lines of JSON, in transactions of 4,000 events.
package struct EventLinesImport: Sendable {
  /// A line that cannot be imported; the batches before its own were.
  package struct LineError: Error {
    /// The number of the line, from 1.
    package let line: Int
    package let cause: StoreError
  }

  /// The number of events in one transaction.
  private static let batchCount = 4_000

  /// The number of events that were read.
  package private(set) var readCount = 0
  /// The number of events that the store did not hold.
  package private(set) var addedCount = 0
  private var continuation = ImportContinuation()
  /// Events without content, until the next event of their branch confirms the ID.
  private var left: [(event: StoredEvent, line: Int)] = []

  package init() {}

  /// The number of events without content that no later event confirmed.
  package var unconfirmedCount: Int { left.count }

  /// The number of events that the store held before.
  package var seenCount: Int { readCount - addedCount - left.count }

  /// An error that says what was left out and why; nil if nothing was.
  package var problem: StoreError? { continuation.problem }

  /// `{format,read,imported,seen,leftOut}`.
  package var json: JSON {
    [
      "format": .text("events"), "read": .integer(readCount), "imported": .integer(addedCount),
      "seen": .integer(seenCount), "leftOut": .integer(continuation.leftOutCount),
    ]
  }

  /// Imports all lines.
  ///
  /// - Parameters:
  ///   - next: Returns the number and the bytes of the next line; nil at the end.
  ///   - progress: Called with the number of events read so far, after each transaction.
  /// - Throws: ``LineError``; the other errors of the store, and those of `next`.
  package mutating func add(
    to store: Store, progress: (Int) -> Void = { _ in },
    next: () throws -> (number: Int, bytes: [UInt8])?
  ) async throws {
    while true {
      var batch = left
      while batch.count < left.count + Self.batchCount, let (number, bytes) = try next() {
        do throws(ModelError) {
          batch.append((try StoredEvent(json: bytes, of: store.id), number))
        } catch {
          throw LineError(line: number, cause: StoreError(translating: error))
        }
      }
      guard batch.count > left.count else { return }
      try Task.checkCancellation()
      try await add(batch, to: store)
      progress(readCount)
    }
  }

  private mutating func add(
    _ batch: [(event: StoredEvent, line: Int)], to store: Store
  ) async throws {
    do {
      let result = try await store.add(batch.map(\.event), &continuation)
      addedCount += result.added
      readCount += batch.count - left.count
      let awaiting = Set(result.awaitingSuccessor.map(\.id))
      left = batch.filter { awaiting.contains($0.event.id) }
    } catch let error as StoreError {
      guard let index = error.index else { throw error }
      throw LineError(line: batch[index].line, cause: error)
    }
  }
}
