/// An editable field of a habit.
///
/// Each field is an LWW register of its own.
///
/// The raw value is the field's number in `carillon.v1.HabitFields` and in the projection.
package enum HabitField: UInt32, CaseIterable, Hashable, Sendable {
  case title = 2
  case kind, unit, target, direction, group, owner, start, end, goal, question, notes, position

  /// The field's name in JSON and in `protocol/EVENTS.md`.
  package var name: String { Self.names[Int(rawValue - HabitField.title.rawValue)] }

  /// The names in the order of the cases, whose numbers are consecutive.
  ///
  /// A literal, because finding the names at run time costs a process 3.7 million instructions.
  private static let names = [
    "title", "kind", "unit", "target", "direction", "group", "owner", "start", "end", "goal",
    "question", "notes", "position",
  ]

  /// Whether the field can be cleared.
  ///
  /// The title and fields with a default cannot.
  package var isOptional: Bool {
    switch self {
    case .title, .kind, .direction, .owner: false
    default: true
    }
  }
}

extension HabitField {
  /// Returns a value of the field for people; `none` if it was cleared.
  package func text(_ value: HabitFieldValue) -> String {
    switch (self, value) {
    case (_, .text(let text)): text
    case (.target, .integer(let number)): Amount(thousandths: number).description
    case (.start, .integer(let number)), (.end, .integer(let number)):
      CivilDate(rawValue: Int32(clamping: number)).description
    case (_, .integer(let number)): String(number)
    case (_, .none): "none"
    }
  }
}

/// The value of one field of a habit, in the form stored in events and projections.
package enum HabitFieldValue: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  /// The field was cleared.
  case none
}

extension Habit {
  /// The value of one field.
  ///
  /// Dates are day numbers. Enumerations and goals are texts.
  ///
  /// Setting a value of another type or an unknown enumeration name leaves the field unchanged.
  /// ``HabitFields/validate()`` rejects such values before they are recorded.
  package subscript(field: HabitField) -> HabitFieldValue {
    get {
      switch field {
      case .title: .text(title)
      case .kind: .text(kind.rawValue)
      case .unit: .init(unit)
      case .target: .init(target?.thousandths)
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
      case .target: target = newValue.integer.map { Amount(thousandths: $0) }
      case .direction: direction = newValue.text.flatMap(Direction.init) ?? direction
      case .group: group = newValue.text
      case .owner: owner = newValue.text.flatMap(Owner.init) ?? owner
      case .start: start = newValue.date
      case .end: end = newValue.date
      case .goal: goal = newValue.text.flatMap { Quota($0) }
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
