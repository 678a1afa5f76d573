import Carillon
import CarillonDocuments

extension Call {
  /// Returns the conflicts that a sync brought to a store, in words.
  ///
  /// - Parameters:
  ///   - before: The position of the log before the sync.
  ///   - name: The directory of the store, if the command line gives it besides `--store`.
  func conflicts(
    broughtBy report: SyncReport, to store: Store, since before: LogPosition, named name: String?
  ) async throws -> [ConflictWords] {
    guard report.eventsReceived > 0, store.hasContents else { return [] }
    do {
      return try await store.words(
        store.conflicts(after: before), output.time, .commands(store: name ?? output.store))
    } catch let error as StoreError {
      try Task.checkCancellation()
      // The sync is complete, and needs only the log.
      output.warn("lost edits cannot be listed: \(error.message)")
      return []
    }
  }
}
