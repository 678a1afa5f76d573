#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation
import NIOCore
import Synchronization

/// The answer of `pending`, with the numbers of its plan.
struct PendingAnswer: Sendable {
  let document: Answer
  /// The number of requests.
  let count: Int
  /// When the next request fires; nil if none has a time.
  let next: Instant?
}

/// The last answers of `pending`, each kept as long as planning again would give the same requests.
///
/// A kept answer costs a look at the log's last position: nothing is read from the projections, and
/// no document is written. Its `asOf` is the moment of its plan.
final class PendingCache: Sendable {
  /// The parameters of an answer.
  struct Key: Hashable, Sendable {
    let store: ObjectIdentifier
    let limit: Int?
    let days: Int?
  }

  /// An answer, and what it is valid for.
  private struct Kept {
    /// Not the store of another object at the same address.
    weak var store: Store?
    let answer: PendingAnswer
    let position: LogPosition
    let zone: TimeZone
    let validity: Range<Instant>
  }

  private struct Answers {
    var kept: [Key: Kept] = [:]
    /// The size of the documents.
    var byteCount = 0
  }

  /// The most bytes of documents; all are dropped if there are more.
  private static let maxBytes = 16 << 20
  /// The size of an answer without its document.
  private static let overhead = 512

  private let answers = Mutex(Answers())

  /// Returns the kept answer, or a new one.
  ///
  /// - Parameter planning: Called with what makes a new answer.
  func answer(
    _ store: Store, limit: Int?, days: Int?,
    planning: (@escaping @Sendable () async throws -> PendingAnswer) async throws
      -> PendingAnswer
  ) async throws -> PendingAnswer {
    let key = Key(store: ObjectIdentifier(store), limit: limit, days: days)
    if let known = try known(key, store) { return known }
    return try await planning { [self] in
      // Another request may have planned meanwhile.
      if let known = try known(key, store) { return known }
      return try await plan(key, store)
    }
  }

  private func known(_ key: Key, _ store: Store) throws -> PendingAnswer? {
    let position = try store.lastPosition()
    let (now, zone) = (store.options.clock(), store.options.zone())
    return answers.withLock { answers in
      guard let one = answers.kept[key], one.store === store, one.position == position,
        one.validity.contains(now), one.zone == zone
      else { return nil }
      return one.answer
    }
  }

  private func plan(_ key: Key, _ store: Store) async throws -> PendingAnswer {
    // Read before planning: an event that is written meanwhile makes the answer outdated.
    let position = try store.lastPosition()
    let (now, zone) = (store.options.clock(), store.options.zone())
    let time = LocalTime(zone: zone, now: now)
    let pending = try await PendingDocument(store, limit: key.limit, days: key.days, time)
    let plan = pending.plan
    let answer = PendingAnswer(
      document: Answer(pending.json, isTagged: true), count: plan.requests.count,
      next: plan.requests.compactMap(\.fireAt).min())
    guard plan.asOf < plan.validUntil else { return answer }
    let one = Kept(
      store: store, answer: answer, position: position, zone: zone,
      validity: plan.asOf..<plan.validUntil)
    answers.withLock { Self.keep(one, as: key, in: &$0) }
    return answer
  }

  private static func keep(_ one: Kept, as key: Key, in answers: inout Answers) {
    func size(_ one: Kept) -> Int { one.answer.document.body.readableBytes + overhead }
    guard size(one) <= maxBytes else { return }
    if let old = answers.kept.removeValue(forKey: key) { answers.byteCount -= size(old) }
    if answers.byteCount + size(one) > maxBytes { answers = Answers() }
    answers.kept[key] = one
    answers.byteCount += size(one)
  }
}
#endif
