package import Carillon
package import CarillonModel

/// What happened to notifications on all devices, latest first.
package struct ReceiptsDocument: Sendable {
  package let receipts: [Receipt]
  /// Whether there are more receipts than the limit.
  package let hasMore: Bool
  /// The titles of the habits that the receipts are of.
  package let titles: HabitTitles
  private let time: LocalTime

  /// The most receipts of a page that a request gets.
  package static let maxPage = 1_000
  /// What happened to notifications, without those that a system only holds.
  package static let happened = Set(Receipt.State.allCases).subtracting([.submitted])

  /// Reads the receipts of a store.
  ///
  /// - Parameters:
  ///   - limit: The most receipts.
  ///   - states: The states of the receipts.
  ///   - habit: The habit of the receipts; nil for all, and for items and remote notifications.
  ///   - place: The ``next`` of the page before; nil for the first page.
  /// - Throws: `invalidValue` if there is no such place any more.
  /// - Complexity: O(receipts up to the last one), or O(receipts) with a habit or a place.
  package init(
    _ store: Store, limit: Int, in states: Set<Receipt.State>, of habit: HabitID? = nil,
    after place: String? = nil, _ time: LocalTime
  ) async throws {
    let isFirst = habit == nil && place == nil
    var found = try await store.receipts(limit: isFirst ? limit + 1 : .max, in: states)[...]
    if let place {
      guard let index = found.firstIndex(where: { $0.place == place }) else {
        throw StoreError(
          code: .invalidValue, message: "after: there is no receipt \"\(place)\" any more",
          hint: "begin with the first page")
      }
      found = found[(index + 1)...]
    }
    if let habit { found = found.filter { $0.habit == habit }[...] }
    (receipts, hasMore) = (Array(found.prefix(limit)), found.count > limit)
    titles = try await HabitTitles(store)
    self.time = time
  }

  /// The place after which the next page begins; nil if there is none.
  package var next: String? { hasMore ? receipts.last?.place : nil }

  /// `{receipts[]}`.
  package var json: JSON { ["receipts": .array(receipts) { $0.json(titles, time) }] }
}

extension Receipt {
  /// `{key, source, revision, state, at, fireAt, replica, action, text, ...}`, followed by the
  /// members of the subject.
  package func json(_ titles: HabitTitles, _ time: LocalTime) -> JSON {
    let common: JSON = [
      "key": .text(notificationID.description), "source": .text(subject.source),
      "revision": .text(subject.revision), "state": .text(state.rawValue),
      "at": .text(time.rfc3339(at)), "fireAt": .text(fireAt.map(time.rfc3339)),
      "replica": .text(replica.description), "action": .text(answer?.action.description),
      "text": .text(answer?.text),
    ]
    return switch titles.local(subject, time) {
    case .occurrence(let occurrence):
      common.merging([
        "habit": .text(occurrence.habit.description),
        "schedule": .text(occurrence.schedule.description),
        "nominal": .text(occurrence.nominal.description),
      ])
    case .item(_, let item, _):
      common.merging(["item": .text(item), "title": .text(title)])
    case .push: common
    }
  }
}

extension Receipt {
  /// What tells the receipt from all others.
  fileprivate var place: String { "\(notificationID) \(subject.revision)" }

  fileprivate var habit: HabitID? {
    if case .occurrence(let occurrence) = subject { occurrence.habit } else { nil }
  }
}
