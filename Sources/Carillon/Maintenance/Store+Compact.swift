import CarillonModel
import CarillonSQLite
public import Foundation

/// The result of compacting, or of a dry run.
public struct CompactionReport: Hashable, Sendable {
  /// The number of expired events: receipts, responses and observed items; nil without the keys of
  /// a sealed store, where nobody knows.
  package let expiredCount: Int?
  /// The number of payloads removed from the log; 0 for a dry run.
  package let payloadCount: Int
  /// What was written; empty for a dry run, and if nothing is expired.
  package let written: Written
  /// The size of the store's files before, in bytes.
  package let bytesBefore: Int
  /// The size of the store's files afterwards, in bytes; nil for a dry run.
  public let bytesAfter: Int?
}

extension Store {
  /// Erases expired facts, and rewrites the store's files without erased data and free space.
  ///
  /// Items, receipts and responses of a source expire when they are older than everything that this
  /// replica retains for the source. If a replica has not synced for a long time, facts that it
  /// wrote before that point also expire when it syncs. No process may have the store open,
  /// including this one.
  ///
  /// Without the keys of a sealed store, only the files are rewritten.
  ///
  /// Nothing is lost if compacting is interrupted at any point or the store is in use. What was
  /// erased until then stays erased, and running it again completes the rest.
  ///
  /// - Parameters:
  ///   - directory: The store's directory.
  ///   - isDryRun: Whether only to count.
  ///   - options: Clock and zone.
  /// - Throws: `busy` if a process does not close the store within the options' `busyTimeout`;
  ///   `full`, `readOnly`, and the errors of ``open(at:options:)``.
  /// - Complexity: O(events).
  public static func compact(
    at directory: URL, isDryRun: Bool = false, options: StoreOptions = StoreOptions()
  ) async throws(StoreError) -> CompactionReport {
    var lacking = options
    lacking.mayLackKeys = true
    return try await StoreError.translating { [lacking] in
      let storage = try Storage(usedIn: directory) ?? .standard
      func eraseExpired() async throws -> ([ExpiredFacts]?, Written, Int) {
        try await with(at: directory, options: lacking) { store in
          guard store.hasContents else { return (nil, .nothing, 0) }
          let expired = try await store.projections.expiredFacts()
          let (written, payloadCount) = isDryRun ? (.nothing, 0) : try await store.erase(expired)
          return (expired, written, payloadCount)
        }
      }
      let expired: [ExpiredFacts]?
      let (written, payloadCount): (Written, Int)
      do {
        (expired, written, payloadCount) = try await eraseExpired()
      } catch  where Self.isRepairedByCompacting(error) {
        try storage.logs.compact(at: directory, options: options.log)
        (expired, written, payloadCount) = try await eraseExpired()
      }
      // Opening the store may have changed the size of the projections.
      let bytesBefore = try byteCount(of: directory)
      if !isDryRun {
        try storage.logs.compact(at: directory, options: options.log)
        try await with(at: directory, options: lacking) { store in
          if store.hasContents { _ = try await store.projections.rebuild() }
        }
      }
      return CompactionReport(
        expiredCount: expired?.reduce(0) { $0 + $1.count }, payloadCount: payloadCount,
        written: written, bytesBefore: bytesBefore,
        bytesAfter: isDryRun ? nil : try byteCount(of: directory))
    }
  }

  /// Erases expired facts, and removes all erased payloads from the log.
  private func erase(_ expired: [ExpiredFacts]) async throws -> (Written, Int) {
    let written = try await write(isActivity: false) { _ in
      Decision(payloads: expired.map { .dataErased(Erasure($0.scope)) })
    }
    return (written, try await projections.sweep())
  }

  /// Whether the log can be written only after its file has been rewritten.
  private static func isRepairedByCompacting(_ error: any Error) -> Bool {
    StoreError(translating: error).needsCompacting
  }

  /// Returns the total size of all files in a directory and its subdirectories.
  package static func byteCount(of directory: URL) throws -> Int {
    let files = FileManager.default
    guard let names = files.enumerator(atPath: directory.path) else { return 0 }
    var count = 0
    for case let name as String in names {
      // SQLite may delete its own files at any moment.
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
