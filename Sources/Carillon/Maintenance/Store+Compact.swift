import CarillonModel
import CarillonSQLite
public import Foundation

/// What compacting did, or would do.
public struct CompactionReport: Hashable, Sendable {
  /// How many receipts, responses and events with items are expired.
  public let expiredCount: Int
  /// How many payloads left the log; 0 for a dry run.
  public let payloadCount: Int
  /// What was written; empty for a dry run, and where nothing is expired.
  public let written: Written
  /// The bytes of the store's files before.
  public let bytesBefore: Int
  /// The bytes of the store's files afterwards; nil for a dry run.
  public let bytesAfter: Int?
}

extension Store {
  /// Erases the facts that are expired and writes the store's files anew, without what is
  /// erased and without free space.
  ///
  /// Of a source's items, receipts and responses only those go that are older than all that this
  /// replica keeps of the source; of a replica that has not synced for long, what it wrote before
  /// that goes too when it does. Nobody may have the store open meanwhile, in this process or in
  /// another.
  ///
  /// Where it is cut off at any point, or the store is in use, nothing is lost: what was erased by
  /// then is, and running it again does the rest.
  ///
  /// - Parameters:
  ///   - directory: The store's directory.
  ///   - isDryRun: Only counts.
  ///   - options: Clock and zone.
  /// - Throws: `busy` where somebody has the store open; `full`, `readOnly`, and as
  ///   ``open(at:options:)``.
  /// - Complexity: O(events).
  public static func compact(
    at directory: URL, isDryRun: Bool = false, options: StoreOptions = StoreOptions()
  ) async throws -> CompactionReport {
    try await translatingErrors {
      let storage = Storage(usedIn: directory) ?? .standard
      func erasePast() async throws -> ([ExpiredFacts], Written, Int) {
        try await withStore(at: directory, options) { store in
          let past = try await store.projections.expiredFacts()
          let (written, payloadCount) = isDryRun ? (.nothing, 0) : try await store.erase(past)
          return (past, written, payloadCount)
        }
      }
      let past: [ExpiredFacts]
      let (written, payloadCount): (Written, Int)
      do {
        (past, written, payloadCount) = try await erasePast()
      } catch  where Self.isCuredByCompacting(error) {
        try storage.logs.compact(at: directory, options: options.log)
        (past, written, payloadCount) = try await erasePast()
      }
      // The projections had perhaps to catch up.
      let bytesBefore = try byteCount(of: directory)
      if !isDryRun {
        try storage.logs.compact(at: directory, options: options.log)
        try await withStore(at: directory, options) { _ = try await $0.projections.rebuild() }
      }
      return CompactionReport(
        expiredCount: past.reduce(0) { $0 + $1.count }, payloadCount: payloadCount,
        written: written, bytesBefore: bytesBefore,
        bytesAfter: isDryRun ? nil : try byteCount(of: directory))
    }
  }

  /// Erases what is expired, and takes all that is covered out of the log.
  private func erase(_ past: [ExpiredFacts]) async throws -> (Written, Int) {
    let written = try await write(isActivity: false) { _ in
      Decision(payloads: past.map { .dataErased(Erasure($0.scope)) })
    }
    return (written, try await projections.sweep())
  }

  /// Whether the log can only be written once its file was written anew.
  private static func isCuredByCompacting(_ error: any Error) -> Bool {
    let logError = (error as? StoreError)?.cause as? LogError ?? error as? LogError
    return logError?.needsCompacting == true
  }

  /// Opens a store for the time of a call.
  static func withStore<Result>(
    at directory: URL, _ options: StoreOptions, _ body: (Store) async throws -> Result
  ) async throws -> Result {
    let store = try await open(at: directory, options: options)
    do {
      let result = try await body(store)
      await store.close()
      return result
    } catch {
      await store.close()
      throw error
    }
  }

  /// The bytes of all files in a directory and below.
  private static func byteCount(of directory: URL) throws -> Int {
    let files = FileManager.default
    guard let names = files.enumerator(atPath: directory.path) else { return 0 }
    var count = 0
    for case let name as String in names {
      // A file of SQLite's own may go at any moment.
      guard
        let attributes = try? files.attributesOfItem(
          atPath: directory.appending(path: name).path),
        attributes[.type] as? FileAttributeType == .typeRegular
      else { continue }
      count += attributes[.size] as? Int ?? 0
    }
    return count
  }
}
