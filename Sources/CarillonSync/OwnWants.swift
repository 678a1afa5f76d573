internal import CarillonModel
internal import CarillonWire

/// The events that an initiator wants for repair, and the results.
struct OwnWants: Sendable {
  private struct Want: Sendable {
    let event: WantedEvent
    let point: SyncPoint
    /// How many more times the event may be requested.
    var chances: Int
  }

  /// Not requested yet, or requested without result; the latter are at the end.
  private var queue: [Want] = []
  /// Requested in a message that is not answered yet.
  private var asked: [Want] = []
  /// Damaged events that could not be repaired.
  private var lost: [WantedEvent] = []

  /// The maximum number of events requested in one sync.
  static let maxCount = 1_024

  /// Whether nothing is left to ask for.
  var isEmpty: Bool { queue.isEmpty }

  /// The damaged events that were not repaired, in order.
  var unrepaired: [WantedEvent] { lost + (queue + asked).map(\.event).filter(\.isDamaged) }

  /// Adds events to request.
  mutating func want(_ events: [WantedEvent], in tree: BranchTree) {
    // An event whose place is damaged cannot be requested. A place on a newer branch is not damage.
    lost += events.filter {
      $0.isDamaged && !$0.isIn(tree) && Int($0.branch.rawValue) < tree.branches.count
    }
    let events = events.filter { $0.isIn(tree) }
    queue += events.prefix(Self.maxCount).map {
      Want(event: $0, point: $0.point(in: tree), chances: $0.isDamaged ? 2 : 1)
    }
    lost += events.dropFirst(Self.maxCount).filter(\.isDamaged)
  }

  /// The points for the next message; empty while another request is in flight.
  var next: [SyncPoint] {
    asked.isEmpty ? queue.prefix(SyncMessage.maxWanted).map(\.point) : []
  }

  /// Marks events as requested by a message.
  mutating func ask(_ points: [SyncPoint]) {
    asked += queue.prefix(points.count)
    queue.removeFirst(points.count)
  }

  /// Whether a run answers a request for repair, instead of carrying new events.
  static func isAnswer(_ run: SyncRun, to points: [SyncPoint]) -> Bool {
    run.count == 1 && points.contains(where: run.end.satisfies)
  }

  /// Takes back the last request: the message was refused unread and is sent again.
  mutating func takeBack() {
    queue = asked + queue
    asked = []
  }

  /// Evaluates the answer to a message that requested events.
  ///
  /// - Parameters:
  ///   - came: The points of the answer's runs.
  ///   - repaired: Those that repaired an event.
  ///   - held: Those that match what is held. Such an event was reported as damaged only because
  ///     the event before it was damaged.
  ///   - hasRepairedThere: Whether an event was repaired on the peer.
  mutating func resolve(
    came: [SyncPoint], repaired: [SyncPoint], held: [SyncPoint], hasRepairedThere: Bool
  ) {
    func isAmong(_ points: [SyncPoint], _ want: Want) -> Bool {
      points.contains { $0.satisfies(want.point) }
    }
    let broughtAny = asked.contains { isAmong(came, $0) }
    let hasRepaired = hasRepairedThere || !repaired.isEmpty
    for var want in asked where !isAmong(repaired, want) {
      if want.event.id != nil, isAmong(held, want) { continue }
      // An event that did not come while others did may not have fitted. An event after a damaged
      // one, here or there, can be accepted once that one is repaired.
      if !hasRepaired, !broughtAny || isAmong(came, want) { want.chances -= 1 }
      if want.chances > 0 {
        queue.append(want)
      } else if want.event.isDamaged {
        lost.append(want.event)
      }
    }
    asked = []
  }
}
