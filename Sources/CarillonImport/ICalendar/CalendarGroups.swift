import CarillonModel

/// Joins the events of a calendar into habits.
///
/// Events of one title that name the same sibling are one habit, and so are events that the store
/// already has in one habit. An event whose title differs gets a habit of its own. Events for which
/// their habit has no room get a further habit. A habit of siblings whose events are all gone is
/// archived while another habit of the same siblings has events.
struct CalendarGroups {
  private(set) var habits: [Habit] = []
  private(set) var days: [ForeignDay] = []
  /// The number of events for which their habit had no room.
  private(set) var overflowCount = 0
  /// The deleted habit of each event that the store does not have, and whose siblings it has there.
  private(set) var deleted: [HabitID] = []

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
    let homes = events.map(stored.home)
    // A file that is older for one event of a habit takes no other away from it.
    let older = Set(
      zip(events, homes).compactMap { event, home in
        home?.revision.map { event.event.revision.isOlder(than: $0) } == true ? home?.habit : nil
      })
    let names = self.names(of: events)
    let targets = self.targets(of: events, names, homes, older)
    // The events that the store has in a habit keep their place in it.
    var order = targets.map(\.habit)
    let sorted = events.indices.sorted {
      (targets[$0].rank, $0) < (targets[$1].rank, $1)
    }
    for index in sorted {
      var habit = targets[index].habit
      let isNew = homes[index] == nil
      // A new event of a deleted habit is left out, and not moved to a further habit.
      if isNew && stored.haveDeleted(habit) {
        deleted.append(habit)
        continue
      }
      if add(events[index], to: habit) { continue }
      // An event without a name has a habit of its own, which has room.
      habit = addToFurther(events[index], of: names[index] ?? "")
      order.append(habit)
      if isNew && stored.haveDeleted(habit) {
        deleted.append(habit)
      } else {
        overflowCount += 1
      }
    }
    let archived = self.archived(names, older)
    for habit in order {
      guard let group = groups.removeValue(forKey: habit)?.events else { continue }
      habits.append(Self.habit(habit, group))
      days += group.flatMap(\.dates).map {
        ForeignDay(habit: habit, date: $0, fact: .done(1_000, note: nil))
      }
    }
    habits += archived
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
  /// - Parameter name: The name of the siblings.
  /// - Returns: The habit.
  private mutating func addToFurther(_ event: CalendarHabit, of name: String) -> HabitID {
    var number = lastNumbers[name] ?? 2
    while true {
      let habit = HabitID.further(number, of: name, from: source)
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
    var schedules = lasting.flatMap(\.habit.schedules)
    if lasting.count > 1 {
      let digest = CalendarRevision.digest(of: lasting.map(\.content).sorted())
      for index in schedules.indices { schedules[index].revision?.digest = digest }
    }
    var habit = Habit(id: id, title: "")
    if let first = events.first?.habit {
      (habit.title, habit.notes, habit.group) = (first.title, first.notes, first.group)
    }
    habit.isArchived = active.isEmpty
    habit.schedules = Array(schedules.prefix(Habit.maxSchedules))
    return habit
  }

  /// Returns the stored habits of siblings without an event in the file, to be archived.
  ///
  /// Another habit of the same siblings has an event, and the file is not older for it.
  ///
  /// - Complexity: O(names + stored habits of their siblings).
  private func archived(_ names: [String?], _ older: Set<HabitID>) -> [Habit] {
    var known: Set<String> = []
    return names.flatMap { name -> [Habit] in
      guard let name, known.insert(name).inserted else { return [] }
      let all = stored.habits(ofSiblings: name, from: source)
      let gone = all.filter { groups[$0.id] == nil }
      let isOlder = all.contains { older.contains($0.id) }
      return gone.count == all.count || isOlder ? [] : gone.compactMap(\.withoutEvents)
    }
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

  private func targets(
    of events: [CalendarHabit], _ names: [String?], _ homes: [StoredHabits.Home?],
    _ older: Set<HabitID>
  ) -> [Target] {
    let siblings = zip(names, events).map { name, event in
      let other = name == event.event.uid ? nil : name
      let group = other.map { HabitID.imported(from: source, .uuid($0)) } ?? event.habit.id
      return Sibling(group: group, title: event.habit.title)
    }
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
    return events.indices.map { index in
      let (id, home, candidate) = (events[index].habit.id, homes[index], candidates[index])
      let stays = older.contains(candidate) || titles[candidate] == events[index].habit.title
      let target = stays ? candidate : id
      return (target, target == id ? 0 : target == home?.habit ? 1 : 2)
    }
  }

  /// Returns the name of each event and its siblings; nil for an event with neither a UID nor a
  /// sibling.
  ///
  /// An event that names another one of its title belongs where that one does. Of events that name
  /// each other in a circle, the one with the least UID names their habit.
  ///
  /// - Complexity: O(events).
  private func names(of events: [CalendarHabit]) -> [String?] {
    let byUID = Dictionary(
      events.compactMap { event in event.event.uid.map { ($0, event) } }
    ) { first, _ in first }
    var names: [String: String] = [:]
    return events.map { event in
      var path: [String] = []
      let name = Self.name(of: event, byUID, names, &path)
      for uid in path { names[uid] = name }
      return name
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

extension Habit {
  /// The habit as an archived one whose events are all gone from their calendar; nil if it is
  /// deleted or has no event, also since an earlier import.
  fileprivate var withoutEvents: Habit? {
    let none = CalendarRevision.digest(of: [])
    var habit = self
    habit.schedules = schedules.filter { $0.revision.map { $0.digest != none } == true }
    guard !isDeleted, !habit.schedules.isEmpty else { return nil }
    for index in habit.schedules.indices { habit.schedules[index].revision?.digest = none }
    habit.isArchived = true
    return habit
  }
}
