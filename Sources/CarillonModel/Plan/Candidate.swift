/// What one request of a plan is made from.
struct Candidate {
  /// What stands for several firings of a group.
  struct Digest {
    let group: String
    /// By (fire, id).
    let members: [Candidate]
  }

  let id: RequestID
  /// When it fires.
  let fireAt: Instant
  /// The occurrence by which it is named: of a digest its first.
  let firing: Firing
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
  init(_ firing: Firing, repeating trigger: RequestTrigger.Shape? = nil) {
    let id =
      if let trigger {
        RequestID(
          habit: firing.schedule.facts.habit.id, schedule: firing.schedule.suppression.schedule,
          trigger: trigger)
      } else {
        firing.id
      }
    self.init(id: id, fireAt: firing.fireAt, firing: firing, trigger: trigger)
  }
}
