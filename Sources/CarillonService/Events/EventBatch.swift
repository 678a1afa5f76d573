#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

/// The body of a request to append events: payloads, one JSON object a line.
struct EventBatch {
  /// The maximum number of events in a batch.
  static let maxCount = 1_000

  let payloads: [Payload]
  /// The number of each payload's line, from 1.
  private let lines: [Int]
  private let key: String?
  private let body: [UInt8]

  /// Reads a batch.
  ///
  /// - Throws: ``Problem``: `tooLarge`, `malformed`, `invalidValue`, with the line.
  init(_ request: Request, _ body: [UInt8]) throws {
    key = try Self.key(request)
    self.body = body
    var payloads: [Payload] = []
    var lines: [Int] = []
    for (number, line) in ByteLines(body) {
      guard payloads.count < Self.maxCount else {
        throw Problem(
          .contentTooLarge, code: "tooLarge",
          detail: "the batch has more than \(Self.maxCount) events", hint: "send it in parts")
      }
      do throws(ModelError) {
        payloads.append(try Payload(json: line))
      } catch {
        let detail = "line \(number): \(error.message)"
        throw error.code == .malformed
          ? Problem.malformed(detail, hint: error.hint)
          : Problem.invalidValue(detail, hint: error.hint)
      }
      lines.append(number)
    }
    (self.payloads, self.lines) = (payloads, lines)
  }

  /// Appends the batch, unless it was appended before with the same key.
  ///
  /// - Returns: The answer, and whether it is that of an earlier request.
  func append(to store: Store) async throws -> (answer: JSON, isRepeated: Bool) {
    do {
      guard let key else { return (try await store.append(payloads).batchJSON, false) }
      let batches = try AppendedBatches(of: store)
      if let answer = try batches.answer(to: key, body) { return (answer, true) }
      try batches.removeExpiredSometimes()
      let written = try await store.append(
        payloads, unless: { try batches.holds(key) },
        noting: { [body] in try batches.keep($0.batchJSON, to: key, body) })
      if let written { return (written.batchJSON, false) }
      guard let answer = try batches.answer(to: key, body) else {
        // Nothing was to be appended.
        return (["appended": .integer(0), "first": .null, "last": .null], false)
      }
      return (answer, true)
    } catch let error as StoreError {
      guard let index = error.index, lines.indices.contains(index) else { throw error }
      throw Problem.invalidValue(
        "line \(lines[index]): \(error.message)", hint: "nothing was appended; correct the line")
    }
  }

  private static func key(_ request: Request) throws -> String? {
    guard let key = request.headers[.unchecked("Idempotency-Key")] else { return nil }
    guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else {
      throw Problem.malformed(
        "the Idempotency-Key is not 1 to 255 printable ASCII characters without spaces")
    }
    return key
  }
}
#endif
