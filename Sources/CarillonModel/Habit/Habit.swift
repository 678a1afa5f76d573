/// A habit: something that a person wants to do, with its schedules.
///
/// The value is the merged state of all events about the habit. Changing the value has no effect
/// until it is passed to the store.
public struct Habit: Hashable, Sendable, Identifiable {
  /// Whether the habit is simply done, or counted.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case yesNo, count
  }

  /// Whether the target of a counted habit is a minimum or a maximum.
  public enum Direction: String, Hashable, Sendable, CaseIterable {
    case atLeast, atMost
  }

  /// The device that delivers the habit's notifications.
  public enum Owner: String, Hashable, Sendable, CaseIterable {
    case phoneFirst, phone, watch, both
  }

  /// The habit's ID, equal on every replica.
  public let id: HabitID
  /// The title, 1 to 200 bytes of UTF-8 in normalization form C.
  ///
  /// Titles need not be unique.
  public var title: String
  /// Whether the habit is done or counted.
  public var kind: Kind
  /// The counted unit, such as `glasses`, at most 200 bytes.
  public var unit: String?
  /// The amount that makes the day done, greater than 0 and at most 1,000,000,000.
  public var target: Amount?
  /// Whether the target is a minimum or a maximum.
  public var direction: Direction
  /// A group for display and threading, at most 200 bytes.
  public var group: String?
  /// The device that delivers the habit's notifications.
  public var owner: Owner
  /// The first date that counts.
  public var start: CivilDate?
  /// The last date that counts.
  public var end: CivilDate?
  /// The goal: how often the habit should be done.
  ///
  /// Unlike a schedule's ``Schedule/quota``, it suppresses no notification by itself.
  public var goal: Quota?
  /// The question in the habit's notifications, at most 200 bytes.
  public var question: String?
  /// Notes on the habit, at most 2,000 bytes.
  public var notes: String?
  /// The position in a list, in ascending order.
  public var position: Int64?
  /// The schedules by ascending ID, at most 16.
  public var schedules: [Schedule]
  /// Whether the habit is archived.
  ///
  /// An archived habit is hidden and has no notifications, but its data remains.
  public package(set) var isArchived = false
  /// Whether the habit is deleted.
  ///
  /// A restore that names the deletion undoes it.
  public package(set) var isDeleted = false

  /// Creates a habit with its schedules and a new ID.
  public init(_ title: String, _ schedules: Schedule...) {
    self.init(id: .random(), title: title, schedules: schedules)
  }

  /// Creates a value from its parts.
  public init(id: HabitID, title: String, schedules: [Schedule] = []) {
    self.id = id
    self.title = title
    self.schedules = schedules
    kind = .yesNo
    direction = .atLeast
    owner = .phoneFirst
  }

  /// The maximum number of schedules of a habit.
  package static let maxSchedules = 16
  /// The greatest position in a list; the least is its negative.
  package static let maxPosition: Int64 = 1_000_000_000
}
