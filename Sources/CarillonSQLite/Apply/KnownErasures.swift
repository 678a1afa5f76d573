internal import CarillonModel
internal import CarillonWire

/// The applied erasures, held in memory so that a payload is compared with them without a query.
///
/// Costs nothing if there are no erasures.
struct KnownErasures {
  /// An erasure and the last event that it covers.
  private struct Reach {
    let erasure: EventID
    /// The last event; nil if the erasure covers all events.
    let last: EventID?

    func covers(_ event: EventID) -> Bool { last.map { event <= $0 } ?? true }

    /// Returns the reach that covers more, or the one with the lesser ID if they are equal.
    func wider(_ other: Reach) -> Reach {
      let (reach, otherReach) = (last ?? .greatest, other.last ?? .greatest)
      guard reach == otherReach else { return reach > otherReach ? self : other }
      return erasure < other.erasure ? self : other
    }
  }

  private var habits: [HabitID: EventID] = [:]
  /// By the source's bytes, as rows distinguish sources.
  private var items: [[UInt8]: Reach] = [:]
  private var receipts: [HabitID: Reach] = [:]
  /// The erasing events, with the last event that each covers.
  private var events: [EventID: EventID] = [:]

  var isEmpty: Bool { events.isEmpty }

  /// Whether a habit was erased, with all of its events.
  func coversAll(of habit: HabitID) -> Bool { !habits.isEmpty && habits[habit] != nil }

  /// Whether an event was applied as an erasure.
  func contains(_ event: EventID) -> Bool { events[event] != nil }

  /// Whether the erasure that a redacted event names is known and covers the event's ID.
  ///
  /// More cannot be checked without the payload.
  func confirm(_ redacted: RedactedContent, of event: EventID) -> Bool {
    events[redacted.erasure].map { event <= $0 } ?? false
  }

  /// Creates an empty set.
  init() {}

  /// Reads the erasures of a projection file.
  init(_ connection: Connection) throws {
    let rows = try connection.prepare("SELECT event, scope, subject, up_to FROM erasure")
    while try rows.step() {
      let last = rows.isNull(3) ? nil : try rows.eventID(3)
      let scope: Erasure.Scope =
        switch rows.integer(1) {
        case 1: .habit(try rows.id(2))
        case 2: .items(source: try rows.text(2), upTo: last)
        case 3: .receipts(of: try rows.id(2), upTo: last)
        default: throw Statement.damagedValue
        }
      add(Erasure(scope), try rows.eventID(0))
    }
  }

  /// Adds an erasure and the event that it comes from.
  mutating func add(_ erasure: Erasure, _ event: EventID) {
    events[event] = erasure.scope.reach
    switch erasure.scope {
    case .habit(let habit):
      habits[habit] = habits[habit].map { min($0, event) } ?? event
    case .items(let source, let last):
      let reach = Reach(erasure: event, last: last)
      let key = Array(source.utf8)
      items[key] = items[key]?.wider(reach) ?? reach
    case .receipts(let habit, let last):
      let reach = Reach(erasure: event, last: last)
      receipts[habit] = receipts[habit]?.wider(reach) ?? reach
    }
  }

  /// Returns the erasure that covers an event, or nil if there is none.
  ///
  /// - Complexity: O(1), or O(bytes of the source).
  func erasure(covering payload: Payload, of event: EventID) -> EventID? {
    let reach: Reach?
    switch payload.erasureSubject {
    case .none: return nil
    case .habit(let habit): return habits[habit]
    case .receipt(let habit):
      if let erasure = habits[habit] { return erasure }
      reach = receipts[habit]
    case .source(let source): reach = items[Array(source.utf8)]
    }
    guard let reach, reach.covers(event) else { return nil }
    return reach.erasure
  }

  /// Returns the erasure that covers an event whose payload is still in the log.
  func erasure(covering event: RawEvent) -> EventID? {
    event.redacted == nil ? erasure(covering: event.payload, of: event.id) : nil
  }

  /// Whether an erasure covers a payload.
  func covers(_ payload: [UInt8], of event: EventID) -> Bool {
    payload.withUnsafeBytes { erasure(covering: $0, of: event) } != nil
  }

  private func erasure(covering payload: UnsafeRawBufferPointer, of event: EventID) -> EventID? {
    // An event with a timestamp beyond clocks is not applied, so no erasure covers it.
    guard !isEmpty, !event.timestamp.isBeyondClocks else { return nil }
    do throws(ModelError) {
      return erasure(covering: try PayloadCoding.decode(payload), of: event)
    } catch {
      // A payload that cannot be read belongs to no habit or source.
      return nil
    }
  }
}
