public import CarillonModel
import CarillonSQLite

extension Store {
  /// The maximum number of items in one call.
  ///
  /// The store remembers this many items of a source. The items of a longer list would alert again.
  package static let maxItems = Retention.perSource

  /// Records fetched items, and returns those that have not alerted yet.
  ///
  /// The items are recorded in the same transaction, before they are delivered. An item therefore
  /// alerts at most once in each revision, even if several processes ingest the same list at once.
  /// If no item is fresh, nothing is written, except for a wake if one is given.
  ///
  /// An item that this device recorded while its system did not allow notifications was not
  /// delivered. It is fresh again once notifications are allowed.
  ///
  /// - Parameters:
  ///   - items: At most 1,000, in the order in which they should alert.
  ///   - source: The source's name; 1 to 200 bytes. Items of different sources are always distinct.
  ///   - isNewestFirst: Whether the newest item comes first, as in GitHub's lists. The store then
  ///     forgets the last items of a long list first.
  ///   - wake: Why the device was woken, if it was. The result of the wake is then also recorded.
  /// - Returns: The items to alert, the notifications to remove, and why nothing may be delivered.
  /// - Throws: `invalidValue`, naming the item's index, and the errors of the log. Nothing is
  ///   recorded then, and nothing may alert.
  /// - Complexity: O(n log m) for n items and m remembered items of the source.
  public func ingest(
    _ items: [FetchedItem], from source: String, isNewestFirst: Bool = false,
    wake: WakeFinished.Reason? = nil
  ) async throws(StoreError) -> Intake {
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

  /// Records how a background wake ended, for example one whose fetch failed.
  @discardableResult
  public func recordWake(_ wake: WakeFinished) async throws(StoreError) -> Written {
    try await write(isActivity: false) { _ in Decision(payloads: [.wakeFinished(wake)]) }
  }

  // MARK: - Parts

  private static func requireLimits(_ items: [FetchedItem], _ source: String) throws(StoreError) {
    guard items.count <= maxItems else {
      throw StoreError(
        code: .invalidValue,
        message: "items: \(items.count) at once; at most \(maxItems) are allowed",
        hint: "ingest them in parts, the oldest first; only the newest \(maxItems) of a source are "
          + "remembered; nothing was recorded")
    }
    guard (1...Limit.maxShortBytes).contains(Int64(source.utf8.count)) else {
      throw StoreError(
        code: .invalidValue,
        message: "source: has \(source.utf8.count) bytes of UTF-8; "
          + "from 1 to \(Limit.maxShortBytes) are allowed")
    }
    for (index, item) in items.enumerated() {
      do throws(ModelError) {
        try item.observed.validate()
      } catch {
        throw StoreError(
          code: .invalidValue, message: error.message, index: index,
          hint: "correct the item; nothing was recorded", cause: error)
      }
    }
  }

  private static func intake(
    of items: [FetchedItem], from source: String, _ context: Context
  ) throws -> Intake {
    let observed = try context.reader.observedItems(of: source)
    let device = try context.ownDevice()
    var intake = Intake(result: .noData, blocked: device.blocked)
    var inList: Set<[UInt8]> = []
    for item in items {
      let id = RequestID(source: source, item: item.id)
      if !item.isUnread {
        if try observed.contains(item.id), !intake.withdrawn.contains(id) {
          intake.withdrawn.append(id)
        }
      } else if try !observed.contains(
        item.id, revision: item.revision,
        where: { $0 != device.replica || device.blocked != nil || device.isGranted(at: $1) }),
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
  /// Identifies an item and revision within a source, byte for byte like the projections.
  fileprivate var key: [UInt8] { Array(id.utf8) + [0xFF] + Array(revision.utf8) }

  /// The item as recorded; its title is cut to the limit.
  fileprivate var observed: ItemObserved.Item {
    ItemObserved.Item(
      item: id, revision: revision, title: title?.cut(toBytes: Int(Limit.maxShortBytes)))
  }
}

extension [Intake.Fresh] {
  /// The events that record the items, in order, each within its limits.
  fileprivate func observed(from source: String) -> [ItemObserved] {
    var events: [ItemObserved] = []
    var byteCount = 0
    for item in map(\.item.observed) {
      let size = item.mostBytes
      if let last = events.last, last.items.count < ItemObserved.maxItems,
        byteCount + size <= StoredEvent.maxPayloadBytes
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
  /// The maximum number of bytes of the item in a payload: its texts, each with a tag and a length
  /// of up to two bytes, plus those of the item itself.
  fileprivate var mostBytes: Int {
    item.utf8.count + revision.utf8.count + (title?.utf8.count ?? 0) + 4 * 3
  }
}
