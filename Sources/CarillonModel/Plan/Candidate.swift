/// What one request of a plan is made from.
struct Candidate {
  /// What stands for several rings of a group.
  struct Digest {
    let group: String
    /// By (fire, id).
    let members: [Candidate]
  }

  let id: RequestID
  /// When it fires.
  let fireAt: Instant
  /// The occurrence by which it is named: of a digest its first.
  let ring: Ring
  /// Nil for a request of its own.
  var trigger: RequestTrigger.Shape?
  var digest: Digest?
}

extension Candidate: Comparable {
  static func == (left: Self, right: Self) -> Bool {
    left.fireAt == right.fireAt && left.id == right.id
  }

  static func < (left: Self, right: Self) -> Bool {
    left.fireAt == right.fireAt ? left.id < right.id : left.fireAt < right.fireAt
  }
}

extension Candidate {
  /// The request of an occurrence, or a repeating one by its next occurrence.
  init(_ ring: Ring, repeating trigger: RequestTrigger.Shape? = nil) {
    let id =
      if let trigger {
        RequestID(habit: ring.slot.facts.habit.id, slot: ring.slot.silence.slot, trigger: trigger)
      } else {
        ring.id
      }
    self.init(id: id, fireAt: ring.fireAt, ring: ring, trigger: trigger)
  }
}
