/// A habit: what somebody wants to do, with the schedules that remind of it.
///
/// The value is the merge of all events about it; changing it changes nothing until it is given
/// to the store.
public struct Habit: Hashable, Sendable, Identifiable {
  /// Whether it is simply done, or counted.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case yesNo, count
  }

  /// Whether a counted habit wants at least or at most its target.
  public enum Direction: String, Hashable, Sendable, CaseIterable {
    case atLeast, atMost
  }

  /// Which device reminds of it.
  public enum Owner: String, Hashable, Sendable, CaseIterable {
    case phoneFirst, phone, watch, both
  }

  /// Names the habit on every replica.
  public let id: HabitID
  /// 1 to 200 bytes of UTF-8, in normalization form C; titles need not be unique.
  public var title: String
  /// Whether it is done or counted.
  public var kind: Kind
  /// What is counted, such as `glasses`; at most 200 bytes.
  public var unit: String?
  /// How much makes the day done, in thousandths; positive.
  public var target: Int64?
  /// Which side of the target is wanted.
  public var direction: Direction
  /// A group for display and threading; at most 200 bytes.
  public var group: String?
  /// Which device reminds of it.
  public var owner: Owner
  /// The first date that counts.
  public var start: CivilDate?
  /// The last date that counts.
  public var end: CivilDate?
  /// How often it wants to be done.
  public var goal: Goal?
  /// The question a reminder asks; at most 200 bytes.
  public var question: String?
  /// At most 2,000 bytes.
  public var notes: String?
  /// Where it stands in a list; smaller first.
  public var position: Int64?
  /// The schedules, by ascending id; at most 16.
  public var schedules: [Schedule]
  /// Hidden and silent, but kept.
  public package(set) var isArchived = false
  /// Deleted, until a restore names the delete.
  public package(set) var isDeleted = false

  /// Makes a habit with its schedules, under a new id.
  public init(_ title: String, _ schedules: Schedule...) {
    self.init(id: .random(), title: title, schedules: schedules)
  }

  /// Makes a value of its parts.
  public init(id: HabitID, title: String, schedules: [Schedule] = []) {
    self.id = id
    self.title = title
    self.schedules = schedules
    kind = .yesNo
    direction = .atLeast
    owner = .phoneFirst
  }

  /// The most schedules a habit may have.
  public static let maxSchedules = 16
}

/// How often a habit wants to be done: so many times in so many days.
public struct Goal: Hashable, Sendable, TextCodable {
  /// 1...1000.
  public let count: Int
  /// 1...366.
  public let days: Int

  /// Makes a goal, or nil where a number is out of range.
  public init?(count: Int, days: Int) {
    guard (1...1000).contains(count), (1...366).contains(days) else { return nil }
    self.count = count
    self.days = days
  }

  /// Parses `3/7d`.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].hasSuffix("d"), let count = Int(digits: parts[0]),
      let days = Int(digits: parts[1].dropLast())
    else { return nil }
    self.init(count: count, days: days)
  }

  /// `3/7d`.
  public var description: String { "\(count)/\(days)d" }
}
