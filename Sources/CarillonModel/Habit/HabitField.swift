/// A field of a habit that can be edited: an LWW register of its own.
///
/// The raw value is the field's number in `carillon.v1.HabitFields` and in the projection.
public enum HabitField: UInt32, CaseIterable, Hashable, Sendable {
  case title = 2
  case kind, unit, target, direction, group, owner, start, end, goal, question, notes, position

  /// The field's name in JSON and in `protocol/EVENTS.md`.
  public var name: String { Self.names[Int(rawValue - HabitField.title.rawValue)] }

  /// In the order of the cases, whose numbers follow one another.
  private static let names = allCases.map(String.init(describing:))

  /// Whether the field may be cleared; a title may not, and neither may one with a default.
  public var isOptional: Bool {
    switch self {
    case .title, .kind, .direction, .owner: false
    default: true
    }
  }
}

/// The value of one field of a habit, in the form that events and projections keep.
public enum HabitFieldValue: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  /// The field was cleared.
  case none
}

extension Habit {
  /// The value of one field; dates are day numbers, names of enumerations and goals are text.
  ///
  /// Setting a value of another type or outside the field's names leaves the field as it was;
  /// ``HabitFields/validate()`` refuses such values before they are recorded.
  public subscript(field: HabitField) -> HabitFieldValue {
    get {
      switch field {
      case .title: .text(title)
      case .kind: .text(kind.rawValue)
      case .unit: .init(unit)
      case .target: .init(target)
      case .direction: .text(direction.rawValue)
      case .group: .init(group)
      case .owner: .text(owner.rawValue)
      case .start: .init(start.map { Int64($0.rawValue) })
      case .end: .init(end.map { Int64($0.rawValue) })
      case .goal: .init(goal?.description)
      case .question: .init(question)
      case .notes: .init(notes)
      case .position: .init(position)
      }
    }
    set {
      switch field {
      case .title: title = newValue.text ?? title
      case .kind: kind = newValue.text.flatMap(Kind.init) ?? kind
      case .unit: unit = newValue.text
      case .target: target = newValue.integer
      case .direction: direction = newValue.text.flatMap(Direction.init) ?? direction
      case .group: group = newValue.text
      case .owner: owner = newValue.text.flatMap(Owner.init) ?? owner
      case .start: start = newValue.date
      case .end: end = newValue.date
      case .goal: goal = newValue.text.flatMap(Goal.init)
      case .question: question = newValue.text
      case .notes: notes = newValue.text
      case .position: position = newValue.integer
      }
    }
  }
}

extension HabitFieldValue {
  fileprivate init(_ text: String?) {
    self = text.map(Self.text) ?? .none
  }

  fileprivate init(_ integer: Int64?) {
    self = integer.map(Self.integer) ?? .none
  }

  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  package var integer: Int64? {
    if case .integer(let integer) = self { integer } else { nil }
  }

  package var date: CivilDate? {
    integer.flatMap(Int32.init(exactly:)).map(CivilDate.init(rawValue:))
  }
}
