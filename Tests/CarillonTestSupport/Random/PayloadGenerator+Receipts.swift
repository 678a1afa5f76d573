internal import CarillonModel

/// Items, receipts and responses, and events of the background.
extension PayloadGenerator {
  /// Returns items out of a small number of sources, items and revisions.
  mutating func nearItems() -> ItemObserved {
    ItemObserved(
      source: pick(["github", "feed"]) ?? "feed",
      items: array(1...6) { .init(item: "\($0.int(1...9))", revision: "\($0.int(0...2))") })
  }

  /// Returns the subject of a notification; `schedule` may be a known one.
  private mutating func nearSubject(_ schedule: (habit: HabitID, schedule: ScheduleID)?)
    -> ReceiptSubject
  {
    switch int(1...4) {
    case 1: return .item(source: pick(["github", "feed"]) ?? "feed", item: "\(int(1...9))")
    case 2: return .push(id: pick(["a", "b"]) ?? "a")
    default:
      let (habit, schedule) = schedule ?? (id(), id())
      let nominal = CivilDateTime(date: nearDate(), time: nearTime())
      return .occurrence(OccurrenceID(habit: habit, schedule: schedule, nominal: nominal))
    }
  }

  mutating func nearReceipt(_ schedule: (habit: HabitID, schedule: ScheduleID)?) -> Payload {
    if int(1...4) == 1 {
      return .responseRecorded(
        ResponseRecorded(subject: nearSubject(schedule), action: pick([.done, .open]) ?? .open))
    }
    var subject = nearSubject(schedule)
    if int(1...4) == 1 { subject.revision = "1795000000000" }
    return .receiptAdvanced(
      ReceiptAdvanced(subject: subject, state: element(), fireAt: optional { $0.instant() }))
  }

  mutating func nearBackground() -> Payload {
    switch int(1...3) {
    case 1: return payload(of: .wakeFinished)
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
