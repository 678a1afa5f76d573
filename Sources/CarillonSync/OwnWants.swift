internal import CarillonModel
internal import CarillonWire

/// What an initiator wants once more, and what came of it.
struct OwnWants: Sendable {
  private struct Want: Sendable {
    let event: WantedEvent
    let point: SyncPoint
    /// How often it may still be asked for.
    var chances: Int
  }

  /// Not asked for yet, or asked for in vain; the latter stand last.
  private var queue: [Want] = []
  /// In a message that is not answered.
  private var asked: [Want] = []
  /// Damaged, and not to be had.
  private var lost: [WantedEvent] = []

  /// The most that is asked for in one sync.
  static let maxCount = 1_024

  /// Whether nothing is left to ask for.
  var isEmpty: Bool { queue.isEmpty }

  /// What is damaged here and was not repaired, in order.
  var unrepaired: [WantedEvent] { lost + (queue + asked).map(\.event).filter(\.isDamaged) }

  /// Takes what is wanted.
  mutating func want(_ events: [WantedEvent], in tree: BranchTree) {
    // A place that is damaged itself cannot be asked for; that of a newer branch is no damage.
    lost += events.filter {
      $0.isDamaged && !$0.isIn(tree) && Int($0.branch.rawValue) < tree.branches.count
    }
    let events = events.filter { $0.isIn(tree) }
    queue += events.prefix(Self.maxCount).map {
      Want(event: $0, point: $0.point(in: tree), chances: $0.isDamaged ? 2 : 1)
    }
    lost += events.dropFirst(Self.maxCount).filter(\.isDamaged)
  }

  /// What the next message asks for, if none is on its way.
  var next: [SyncPoint] {
    asked.isEmpty ? queue.prefix(SyncMessage.maxWanted).map(\.point) : []
  }

  /// A message asks for these.
  mutating func ask(_ points: [SyncPoint]) {
    asked += queue.prefix(points.count)
    queue.removeFirst(points.count)
  }

  /// Whether a run stands for what is wanted, and not for news.
  static func isAnswer(_ run: SyncRun, to points: [SyncPoint]) -> Bool {
    run.count == 1 && points.contains(where: run.end.satisfies)
  }

  /// The message that asked was refused unread; it is made anew.
  mutating func takeBack() {
    queue = asked + queue
    asked = []
  }

  /// An answer came to a message that asked.
  ///
  /// - Parameters:
  ///   - came: The points of its runs.
  ///   - repaired: Those of them that made an event whole.
  ///   - held: Those of them that are held as they came: what was named only because of what stands
  ///     before it was whole.
  ///   - hasRepairedThere: Whether an event was repaired on the other side.
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
      // What did not come, while others did, may not have fitted; and what follows from a damaged
      // event, here or there, can be taken once that is whole.
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
