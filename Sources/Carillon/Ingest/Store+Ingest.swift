public import CarillonModel
import CarillonSQLite

extension Store {
  /// The most items of one call.
  ///
  /// So many facts are kept of a source, and a list longer than that would alert again.
  public static let maxItems = Retention.perSource

  /// Takes fetched items in and gives back those that were not alerted yet.
  ///
  /// They are recorded in the same step, before they are shown: an item alerts at most once in each
  /// revision, also where several processes ingest one list at once. Nothing fresh writes nothing,
  /// unless a wake is given.
  ///
  /// - Parameters:
  ///   - items: At most ``maxItems``, in the order in which they shall alert.
  ///   - source: The source's name; 1 to 200 bytes. Items of different sources never meet.
  ///   - isNewestFirst: Whether the list begins with what is newest, as GitHub's does. The items of
  ///     a long list that are forgotten first are then its last.
  ///   - wake: Why the device was woken for it, where it was: the wake's result is recorded too.
  /// - Returns: What to alert, what to take away, and why nothing may be shown.
  /// - Throws: `invalidValue` naming the item by its index; what the log throws. Then nothing was
  ///   recorded, and nothing is to be alerted.
  /// - Complexity: O(items log facts of the source).
  public func ingest(
    _ items: [FetchedItem], from source: String, isNewestFirst: Bool = false,
    wake: WakeFinished.Reason? = nil
  ) async throws -> Intake {
    try Self.requireLimits(items, source)
    let latest = Locked(Intake(result: .noData))
    _ = try await write(isActivity: false) { context in
      let intake = try Self.intake(of: items, from: source, context)
      latest.set(intake)
      let inOrder = isNewestFirst ? intake.fresh.reversed() : intake.fresh
      var payloads = inOrder.observed(from: source).map(Payload.itemObserved)
      if let wake {
        payloads.append(
          .wakeFinished(
            WakeFinished(reason: wake, result: intake.result, newCount: intake.fresh.count)))
      }
      return Decision(payloads: payloads, needsState: !intake.fresh.isEmpty)
    }
    return latest.value
  }

  /// Records how a wake in the background ended, such as one whose fetch failed.
  @discardableResult
  public func recordWake(_ wake: WakeFinished) async throws -> Written {
    try await write(isActivity: false) { _ in Decision(payloads: [.wakeFinished(wake)]) }
  }

  // MARK: - Parts

  private static func requireLimits(_ items: [FetchedItem], _ source: String) throws {
    guard items.count <= maxItems else {
      throw StoreError(
        code: .invalidValue,
        message: "items: \(items.count) at once; at most \(maxItems) are allowed",
        hint: "ingest them in parts, the oldest first; only the newest \(maxItems) of a source are "
          + "remembered; nothing was recorded")
    }
    guard (1...200).contains(source.utf8.count) else {
      throw StoreError(
        code: .invalidValue,
        message: "source: has \(source.utf8.count) bytes of UTF-8; from 1 to 200 are allowed")
    }
    for (index, item) in items.enumerated() {
      do throws(ModelError) {
        try item.observed.validate()
      } catch {
        throw StoreError(
          code: .invalidValue, message: error.message, index: index,
          hint: "repair the item; nothing was recorded", cause: error)
      }
    }
  }

  private static func intake(
    of items: [FetchedItem], from source: String, _ context: Context
  ) throws -> Intake {
    let observed = try context.reader.observedItems(of: source)
    var intake = Intake(result: .noData, blocked: try context.ownDevice().blocked)
    var inList: Set<[UInt8]> = []
    for item in items {
      let id = ReceiptSubject.item(source: source, item: item.id).key
      if !item.isUnread {
        if try observed.contains(item.id), !intake.withdrawn.contains(id) {
          intake.withdrawn.append(id)
        }
      } else if try !observed.contains(item.id, revision: item.revision),
        inList.insert(item.key).inserted
      {
        intake.fresh.append(Intake.Fresh(id: id, item: item))
        continue
      }
      intake.seen += 1
    }
    intake.result = intake.fresh.isEmpty ? .noData : .newData
    return intake
  }
}

extension FetchedItem {
  /// Tells items of one source apart, as the projections do: byte for byte.
  fileprivate var key: [UInt8] { Array(id.utf8) + [0xFF] + Array(revision.utf8) }

  /// What is recorded of it; a title is cut to its limit.
  fileprivate var observed: ItemObserved.Item {
    ItemObserved.Item(item: id, revision: revision, title: title?.cut(toBytes: Self.maxTitleBytes))
  }

  private static let maxTitleBytes = 200
}

extension [Intake.Fresh] {
  /// The events that record them, in order, each within its limits.
  fileprivate func observed(from source: String) -> [ItemObserved] {
    var events: [ItemObserved] = []
    var byteCount = 0
    for item in map(\.item.observed) {
      let size = item.mostBytes
      if let last = events.last, last.items.count < ItemObserved.maxItems,
        byteCount + size <= Event.maxPayloadBytes
      {
        events[events.count - 1].items.append(item)
        byteCount += size
      } else {
        events.append(ItemObserved(source: source, items: [item]))
        byteCount = source.utf8.count + size + 16
      }
    }
    return events
  }
}

extension ItemObserved.Item {
  /// The most bytes that it takes in a payload: its texts, with a tag and a length of at most two
  /// bytes for each and for itself.
  fileprivate var mostBytes: Int {
    item.utf8.count + revision.utf8.count + (title?.utf8.count ?? 0) + 4 * 3
  }
}
