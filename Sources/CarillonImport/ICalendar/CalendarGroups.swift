import CarillonModel

/// Joins the events of a calendar into habits.
///
/// Events of one title that name the same sibling are one habit, and so are events that the store
/// already has in one habit. An event whose title differs gets a habit of its own. Events for which
/// their habit has no room get a further habit.
struct CalendarGroups {
  private(set) var habits: [Habit] = []
  private(set) var days: [ForeignDay] = []
  /// The number of events for which their habit had no room.
  private(set) var overflowCount = 0

  private let source: String
  private let stored: StoredHabits
  /// The events of each habit, and the number of their schedules.
  private var groups: [HabitID: (events: [CalendarHabit], schedules: Int)] = [:]
  /// The number of the further habit that was last used, by the name of the siblings.
  private var lastNumbers: [String: Int] = [:]

  /// Joins events.
  ///
  /// - Complexity: O(events log events).
  init(_ events: [CalendarHabit], from source: String, in stored: StoredHabits) {
    (self.source, self.stored) = (source, stored)
    let targets = self.targets(of: events)
    // The events that the store has in a habit keep their place in it.
    var order = targets.map(\.habit)
    let sorted = events.indices.sorted {
      (targets[$0].rank, $0) < (targets[$1].rank, $1)
    }
    for index in sorted where !add(events[index], to: targets[index].habit) {
      overflowCount += 1
      order.append(addToFurther(events[index]))
    }
    for habit in order {
      guard let group = groups.removeValue(forKey: habit)?.events else { continue }
      habits.append(Self.habit(habit, group))
      days += group.flatMap(\.dates).map {
        ForeignDay(habit: habit, date: $0, fact: .done(1_000, note: nil))
      }
    }
  }

  // MARK: - Room

  /// Adds an event to a habit that has room for its schedules.
  ///
  /// - Returns: Whether the habit had room.
  private mutating func add(_ event: CalendarHabit, to habit: HabitID) -> Bool {
    let count = event.habit.isArchived ? 0 : event.habit.schedules.count
    if let taken = groups[habit]?.schedules, taken + count > Habit.maxSchedules { return false }
    groups[habit, default: ([], 0)].events.append(event)
    groups[habit]?.schedules += count
    return true
  }

  /// Adds an event to the next further habit of its siblings that has room.
  ///
  /// - Returns: The habit.
  private mutating func addToFurther(_ event: CalendarHabit) -> HabitID {
    let name = event.event.sibling ?? event.event.uid ?? ""
    var number = lastNumbers[name] ?? 2
    while true {
      let habit = HabitID.imported(from: source, .uuid("\(name) \(number)"))
      if add(event, to: habit) {
        lastNumbers[name] = number
        return habit
      }
      number += 1
    }
  }

  /// Returns a habit with the schedules of its events.
  ///
  /// Those of a cancelled event are left out unless all are cancelled.
  private static func habit(_ id: HabitID, _ events: [CalendarHabit]) -> Habit {
    let active = events.filter { !$0.habit.isArchived }
    let lasting = active.isEmpty ? events : active
    let digest = CalendarRevision.digest(of: lasting.map(\.content).sorted())
    let schedules = lasting.flatMap { event in
      event.habit.schedules.map { schedule in
        var schedule = schedule
        schedule.revision?.content = event.content
        schedule.revision?.digest = digest
        return schedule
      }
    }
    var habit = Habit(id: id, title: "")
    if let first = events.first?.habit {
      (habit.title, habit.notes, habit.group) = (first.title, first.notes, first.group)
    }
    habit.isArchived = active.isEmpty
    habit.schedules = Array(schedules.prefix(Habit.maxSchedules))
    return habit
  }

  // MARK: - Targets

  /// The habit of an event, and the event's place among those of the habit: first the one whose UID
  /// names the habit, then those that the store has in it, then new ones.
  private typealias Target = (habit: HabitID, rank: Int)

  /// What the events of one habit have in common.
  private struct Sibling: Hashable {
    let group: HabitID
    let title: String
  }

  private func targets(of events: [CalendarHabit]) -> [Target] {
    let homes = events.map(stored.home)
    let siblings = self.siblings(of: events)
    // A new event joins the siblings of its title that the store has.
    var known: [Sibling: HabitID] = [:]
    for (sibling, home) in zip(siblings, homes) {
      guard let home else { continue }
      known[sibling] = known[sibling] ?? home.habit
    }
    let candidates = zip(siblings, homes).map { sibling, home in
      home?.habit ?? known[sibling] ?? sibling.group
    }
    let titles = self.titles(of: candidates, events, homes)
    // A file that is older for one event of a habit takes no other away from it.
    let older = zip(events, homes).compactMap { event, home in
      home?.revision.map { event.event.revision.isOlder(than: $0) } == true ? home?.habit : nil
    }
    let lasting = Set(older)
    return events.indices.map { index in
      let (id, home, candidate) = (events[index].habit.id, homes[index], candidates[index])
      let stays = lasting.contains(candidate) || titles[candidate] == events[index].habit.title
      let target = stays ? candidate : id
      return (target, target == id ? 0 : target == home?.habit ? 1 : 2)
    }
  }

  /// Returns what each event has in common with its siblings.
  ///
  /// An event that names another one of its title belongs where that one does. Of events that name
  /// each other in a circle, the one with the least UID names their habit.
  ///
  /// - Complexity: O(events).
  private func siblings(of events: [CalendarHabit]) -> [Sibling] {
    let byUID = Dictionary(
      events.compactMap { event in event.event.uid.map { ($0, event) } }
    ) { first, _ in first }
    var names: [String: String] = [:]
    return events.map { event in
      var path: [String] = []
      let name = Self.name(of: event, byUID, names, &path)
      for uid in path { names[uid] = name }
      let group = name.map { HabitID.imported(from: source, .uuid($0)) }
      return Sibling(group: group ?? event.habit.id, title: event.habit.title)
    }
  }

  /// Returns the UID or other text that names the habit of an event and its siblings, or nil for an
  /// event with neither a UID nor a sibling.
  ///
  /// - Parameters:
  ///   - names: The results of other events, by UID.
  ///   - path: The UIDs of the event and its siblings that have the same result.
  private static func name(
    of event: CalendarHabit, _ byUID: [String: CalendarHabit], _ names: [String: String],
    _ path: inout [String]
  ) -> String? {
    var (current, places) = (event, [String: Int]())
    while true {
      if let uid = current.event.uid {
        if let known = names[uid] { return known }
        if let place = places[uid] { return path[place...].min() }
        places[uid] = path.count
        path.append(uid)
      }
      guard let sibling = current.event.sibling else { return current.event.uid }
      guard let next = byUID[sibling], next.habit.title == event.habit.title else {
        return sibling
      }
      current = next
    }
  }

  /// Returns the title of each habit: that of the event whose UID names it, or else the one that
  /// the store has if an event has it too, or else that of the first event.
  private func titles(
    of candidates: [HabitID], _ events: [CalendarHabit], _ homes: [StoredHabits.Home?]
  ) -> [HabitID: String] {
    var titles: [HabitID: (title: String, rank: Int)] = [:]
    for (index, candidate) in candidates.enumerated() {
      let habit = events[index].habit
      let rank = habit.id == candidate ? 0 : habit.title == homes[index]?.title ? 1 : 2
      if rank < titles[candidate]?.rank ?? 3 { titles[candidate] = (habit.title, rank) }
    }
    return titles.mapValues(\.title)
  }
}
