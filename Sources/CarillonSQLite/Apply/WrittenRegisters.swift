internal import CarillonModel

/// The registers of habits and schedules that a transaction has written, each with the event whose
/// value it has at least.
///
/// An event that loses against another one of the same transaction needs no statement.
struct WrittenRegisters {
  /// A register: the key of its row.
  struct Key: Hashable {
    let table: ProjectedTable
    let habit: HabitID
    var schedule: ScheduleID?
    var field: UInt32 = 0
  }

  private var events: [Key: EventID] = [:]

  /// The maximum number of registers that are remembered, so that memory use is constant.
  private static let maxCount = 16_384

  /// Returns whether an event may win against the events that were written to a register before,
  /// and remembers it.
  mutating func admit(_ event: EventID, to key: Key) -> Bool {
    if let written = events[key] {
      let isWinner = key.table.merge == .leastEvent ? event < written : event > written
      guard isWinner else { return false }
    } else if events.count == Self.maxCount {
      events.removeAll(keepingCapacity: true)
    }
    events[key] = event
    return true
  }
}
