internal import CarillonModel

/// What is fetched, shown and answered, and what happens in the background.
extension PayloadGenerator {
  mutating func itemObserved() -> ItemObserved {
    ItemObserved(
      source: text(1...200),
      items: array(1...20) { generator in
        .init(
          item: generator.text(1...256), revision: generator.revision(),
          title: generator.optional { $0.text(0...200) })
      })
  }

  private mutating func revision() -> String { bool() ? "0" : text(1...256) }

  mutating func receiptAdvanced() -> ReceiptAdvanced {
    ReceiptAdvanced(
      subject: subject(), revision: revision(), state: element(), at: optional { $0.instant() },
      fireAt: optional { $0.instant() })
  }

  mutating func responseRecorded() -> ResponseRecorded {
    ResponseRecorded(
      subject: subject(), revision: revision(), action: text(1...64),
      text: optional { $0.text(0...2_000) }, at: optional { $0.instant() })
  }

  private mutating func subject() -> ReceiptSubject {
    switch int(1...3) {
    case 1:
      .occurrence(habit: id(), slot: id(), nominal: CivilDateTime(date: date(), time: time()))
    case 2: .item(source: text(1...200), item: text(1...256))
    default: .push(id: text(1...64))
    }
  }

  mutating func wakeFinished() -> WakeFinished {
    WakeFinished(reason: element(), result: element(), newCount: int(0...1_000_000))
  }

  mutating func pushTokenSet() -> PushTokenSet {
    PushTokenSet(
      environment: text(1...64),
      registration: bool() ? .token(array(1...1_024) { $0.byte() }) : .failure(text(1...1_000)))
  }

  mutating func pushReceived() -> PushReceived {
    PushReceived(
      id: text(1...64), kind: element(), collapses: bool(),
      category: optional { $0.text(0...200) }, thread: optional { $0.text(0...200) },
      content: array(0...300) { $0.byte() }, at: optional { $0.instant() })
  }

  mutating func importFinished() -> ImportFinished {
    var counts: [String: Int64] = [:]
    for _ in 0..<int(0...8) { counts[text(1...64)] = Int64(int(0...1_000_000_000_000)) }
    return ImportFinished(
      source: text(1...200), fileHash: array(32...32) { $0.byte() }, counts: counts)
  }

  mutating func instant() -> Instant {
    Instant(milliseconds: Int64(int(0...(1 << 45) - 1)))
  }

  // MARK: - What meets

  /// One of few sources, items, revisions and pushes.
  mutating func nearItems() -> ItemObserved {
    ItemObserved(
      source: pick(["github", "feed"]) ?? "feed",
      items: array(1...6) { .init(item: "\($0.int(1...9))", revision: "\($0.int(0...2))") })
  }

  /// The subject of a notification; `slot` is one that may be known.
  private mutating func nearSubject(_ slot: (habit: HabitID, slot: SlotID)?) -> ReceiptSubject {
    switch int(1...4) {
    case 1: return .item(source: pick(["github", "feed"]) ?? "feed", item: "\(int(1...9))")
    case 2: return .push(id: pick(["a", "b"]) ?? "a")
    default:
      let (habit, slot) = slot ?? (id(), id())
      let nominal = CivilDateTime(date: nearDate(), time: nearTime())
      return .occurrence(habit: habit, slot: slot, nominal: nominal)
    }
  }

  mutating func nearReceipt(_ slot: (habit: HabitID, slot: SlotID)?) -> Payload {
    if int(1...4) == 1 {
      return .responseRecorded(
        ResponseRecorded(subject: nearSubject(slot), action: pick(["done", "open"]) ?? "open"))
    }
    return .receiptAdvanced(
      ReceiptAdvanced(
        subject: nearSubject(slot), revision: int(1...4) == 1 ? "1795000000000" : "0",
        state: element(), fireAt: optional { $0.instant() }))
  }

  mutating func nearBackground() -> Payload {
    switch int(1...3) {
    case 1: return .wakeFinished(wakeFinished())
    case 2:
      return .pushTokenSet(
        PushTokenSet(
          environment: pick(["development", "production"]) ?? "production",
          registration: bool() ? .token([byte()]) : .failure("no network")))
    default:
      return .pushReceived(
        PushReceived(
          id: pick(["a", "b"]) ?? "a", kind: element(), collapses: true, content: [byte()]))
    }
  }
}
