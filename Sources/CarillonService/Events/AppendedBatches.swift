#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonLog
import CarillonModel
import Crypto
import Foundation

/// The answers to the batches that clients appended with an idempotency key, one file each.
///
/// A file is written inside the write transaction of its batch, before the commit. It names the
/// first event. If a crash comes in between, the log does not hold that event, and the file counts
/// as absent.
struct AppendedBatches {
  /// The time for which a key is kept, in seconds.
  static let seconds = 86_400.0

  private let store: Store
  private let directory: URL

  /// - Throws: `readOnly`, `full`, `io`.
  init(of store: Store) throws(StoreError) {
    self.store = store
    directory = try ServiceDirectory(of: store.directory).directory("batches")
  }

  /// Returns the answer to a batch that was appended with a key; nil if none was.
  ///
  /// - Throws: ``Problem`` `invalidValue` if the batch was another one.
  func answer(to key: String, _ body: [UInt8]) throws -> JSON? {
    guard let kept = try kept(key) else { return nil }
    guard kept["body"] == .text(Self.digest(body)) else {
      throw Problem.invalidValue(
        "the Idempotency-Key was used with another body", hint: "use a new key for each batch")
    }
    return kept["answer"]
  }

  /// Whether a batch was appended with a key.
  func holds(_ key: String) throws -> Bool { try kept(key) != nil }

  /// Keeps the answer to a batch that is about to be committed.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  func keep(_ answer: JSON, to key: String, _ body: [UInt8]) throws {
    let file = file(of: key).path
    let document: JSON = ["body": .text(Self.digest(body)), "answer": answer]
    let new = try NewFile(at: "\(file).\(UUID().uuidString)")
    try new.write(Array(document.line.utf8))
    try new.finish(replacing: file)
  }

  /// Removes expired files in one of 256 calls, so that the cost of a call stays small.
  func removeExpiredSometimes() throws {
    if Int.random(in: 0..<256) == 0 { try removeExpired() }
  }

  /// Removes the files that are older than the time for which a key is kept.
  func removeExpired() throws {
    let oldest = Date(timeIntervalSinceNow: -Self.seconds)
    let files = try FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: [.contentModificationDateKey])
    for file in files {
      do {
        let date = try file.resourceValues(forKeys: [.contentModificationDateKey])
          .contentModificationDate
        if let date, date < oldest { try FileManager.default.removeItem(at: file) }
      } catch let error as CocoaError
        where [.fileNoSuchFile, .fileReadNoSuchFile].contains(error.code)
      {
        // Another process removed the same file.
      }
    }
  }

  // MARK: -

  /// Returns the members of a key's file, if the log holds the batch.
  private func kept(_ key: String) throws -> JSONObject? {
    let kept: JSONObject?
    do throws(StoreError) {
      kept = try AccessFile.read(file(of: key).path)
    } catch {
      throw Self.damaged(error)
    }
    guard let kept else { return nil }
    guard case .object(let answer)? = kept["answer"], case .object(let first)? = answer["first"],
      case .text(let id)? = first["id"], let id = EventID(id)
    else { throw Self.damaged() }
    return try store.log.position(of: id) == nil ? nil : kept
  }

  /// An error about a key's file; clients do not learn where that is.
  private static func damaged(_ cause: StoreError? = nil) -> StoreError {
    StoreError(
      code: .corrupt, message: "the kept answer of the Idempotency-Key cannot be used",
      hint: "look in the log whether the batch is there; if not, send it with another key",
      cause: cause)
  }

  private func file(of key: String) -> URL {
    directory.appending(path: Self.digest(Array(key.utf8)), directoryHint: .notDirectory)
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    Data(SHA256.hash(data: bytes)).base64URL
  }
}
#endif
