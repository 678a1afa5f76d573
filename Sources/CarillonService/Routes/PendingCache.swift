#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation
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

  /// The most answers; all are dropped if there are more.
  private static let maxAnswers = 1_024

  private let kept = Mutex<[Key: Kept]>([:])

  /// Returns the kept answer, or a new one.
  func answer(_ store: Store, limit: Int?, days: Int?) async throws -> PendingAnswer {
    let key = Key(store: ObjectIdentifier(store), limit: limit, days: days)
    // Read before planning: an event that is written meanwhile makes the answer outdated.
    let position = try store.lastPosition()
    let (now, zone) = (store.options.clock(), store.options.zone())
    let known = kept.withLock { kept -> PendingAnswer? in
      guard let one = kept[key], one.store === store, one.position == position,
        one.validity.contains(now), one.zone == zone
      else { return nil }
      return one.answer
    }
    if let known { return known }
    let time = LocalTime(zone: zone, now: now)
    let pending = try await PendingDocument(store, limit: limit, days: days, time)
    let plan = pending.plan
    let answer = PendingAnswer(
      document: Answer(pending.json, isTagged: true), count: plan.requests.count,
      next: plan.requests.compactMap(\.fireAt).min())
    guard plan.asOf < plan.validUntil else { return answer }
    let one = Kept(
      store: store, answer: answer, position: position, zone: zone,
      validity: plan.asOf..<plan.validUntil)
    kept.withLock { kept in
      if kept.count >= Self.maxAnswers { kept.removeAll() }
      kept[key] = one
    }
    return answer
  }
}
#endif
