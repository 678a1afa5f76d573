import CarillonModel

/// Something done in a simulated life, in order of time.
///
/// Each device knows some of these facts.
enum LifeFact {
  /// A new habit, or a changed one.
  case habit(LifeHabit)
  case archived(HabitID, Bool)
  case done(HabitID, CivilDate)
  /// Undoes the recordings that were known, by their indices.
  case undone(Set<Int>)
  case skipped(HabitID, CivilDate, Bool)
  /// A pause by its number; of all habits if no habit is given.
  case pause(Int, HabitID?, first: CivilDate, last: CivilDate?)
  /// A snooze; without an end, it is cancelled.
  case snooze(HabitID, CivilDateTime, until: Instant?)
  case active(CivilDate)
}

/// The oracle's own merge of facts, applied one after another.
struct LifeState {
  struct Named: Hashable {
    let habit: HabitID
    let date: CivilDate
  }

  struct Snoozed: Hashable {
    let habit: HabitID
    let nominal: CivilDateTime
  }

  struct Break {
    let habit: HabitID?
    let first: CivilDate
    let last: CivilDate?

    func holds(_ id: HabitID, on date: CivilDate) -> Bool {
      (habit == nil || habit == id) && date >= first && last.map { date <= $0 } ?? true
    }
  }

  private(set) var habits: [HabitID: LifeHabit] = [:]
  private(set) var archived: Set<HabitID> = []
  private(set) var recordings: [Named: Set<Int>] = [:]
  private(set) var skipped: Set<Named> = []
  private(set) var pauses: [Int: Break] = [:]
  /// The snoozes, each with the index of its fact.
  private(set) var snoozes: [Snoozed: (until: Instant, index: Int)] = [:]
  private(set) var lastActive: CivilDate?

  /// Creates a state from facts by their indices, which are in order of time.
  init(_ facts: some Sequence<(index: Int, fact: LifeFact)>) {
    var taken: Set<Int> = []
    var done: [(Int, Named)] = []
    for (index, fact) in facts {
      switch fact {
      case .habit(let habit): habits[habit.id] = habit
      case .archived(let id, let isArchived):
        if isArchived { archived.insert(id) } else { archived.remove(id) }
      case .done(let id, let date): done.append((index, Named(habit: id, date: date)))
      case .undone(let recordings): taken.formUnion(recordings)
      case .skipped(let id, let date, let isSkipped):
        let named = Named(habit: id, date: date)
        if isSkipped { skipped.insert(named) } else { skipped.remove(named) }
      case .pause(let number, let id, let first, let last):
        pauses[number] = Break(habit: id, first: first, last: last)
      case .snooze(let id, let nominal, let until):
        snoozes[Snoozed(habit: id, nominal: nominal)] = until.map { ($0, index) }
      case .active(let date): lastActive = lastActive.map { max($0, date) } ?? date
      }
    }
    for (index, named) in done where !taken.contains(index) {
      recordings[named, default: []].insert(index)
    }
  }

  func isDone(_ id: HabitID, on date: CivilDate) -> Bool {
    !(recordings[Named(habit: id, date: date)] ?? []).isEmpty
  }

  /// Returns the end of an occurrence's snooze, unless its date was done after it.
  func snooze(_ id: HabitID, _ nominal: CivilDateTime, due: CivilDate) -> Instant? {
    guard let snooze = snoozes[Snoozed(habit: id, nominal: nominal)] else { return nil }
    let done = recordings[Named(habit: id, date: due)] ?? []
    return done.contains { $0 > snooze.index } ? nil : snooze.until
  }

  func isSkipped(_ id: HabitID, on date: CivilDate) -> Bool {
    skipped.contains(Named(habit: id, date: date))
  }

  func isPaused(_ id: HabitID, on date: CivilDate) -> Bool {
    pauses.values.contains { $0.holds(id, on: date) }
  }

  /// Returns why an occurrence due on a date must not fire; nil if it must.
  func suppression(_ habit: LifeHabit, due: CivilDate) -> String? {
    if archived.contains(habit.id) { return "archived" }
    if isPaused(habit.id, on: due) { return "paused" }
    if isDone(habit.id, on: due) {
      if habit.isConditional { return "done" }
    } else if isSkipped(habit.id, on: due) {
      return "skipped"
    }
    if habit.isConditional, let lastActive, due > lastActive.adding(days: 7) { return "inactive" }
    return nil
  }
}
