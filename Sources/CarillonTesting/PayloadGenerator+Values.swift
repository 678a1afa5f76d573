public import CarillonModel

/// Values from anywhere within their limits.
extension PayloadGenerator {
  /// A random identifier.
  public mutating func id<Subject>() -> Identifier<Subject> { .random(using: &random) }

  /// A random event ID, of no event.
  public mutating func eventID() -> EventID {
    EventID(words: (random.next() >> 1, random.next(), random.next(), random.next()))
  }

  /// A date from 1970 to 2200, often one of the ends.
  public mutating func date() -> CivilDate {
    let last = CivilDate.accepted.upperBound.rawValue
    return CivilDate(rawValue: pick([0, last, 20_780, Int32(int(0...Int(last)))]) ?? 0)
  }

  /// Text of so many bytes of UTF-8, with characters of one to four bytes.
  public mutating func text(_ bytes: ClosedRange<Int>) -> String {
    let wanted = int(1...8) == 1 ? bytes.upperBound : int(bytes)
    let letters = ["a", "Z", "0", " ", "\"", "\\", "\n", "\u{1}", "/", "é", "ß", "日", "🌊"]
    var text = ""
    while let letter = pick(letters), text.utf8.count + letter.utf8.count <= wanted {
      text += letter
    }
    return text.utf8.count < bytes.lowerBound ? "x" : text
  }

  mutating func habitFields(creating: Bool) -> HabitFields {
    var values: [HabitField: HabitFieldValue] = [:]
    for field in HabitField.allCases where bool() {
      values[field] = field.isOptional && int(1...5) == 1 ? HabitFieldValue.none : value(of: field)
    }
    if creating { values[.title] = value(of: .title) }
    return HabitFields(habit: id(), values: values)
  }

  private mutating func value(of field: HabitField) -> HabitFieldValue {
    switch field {
    case .title: .text(text(1...200))
    case .unit, .group, .question: .text(text(0...200))
    case .notes: .text(text(0...2_000))
    case .kind: .text((element() as Habit.Kind).rawValue)
    case .direction: .text((element() as Habit.Direction).rawValue)
    case .owner: .text((element() as Habit.Owner).rawValue)
    case .target: .integer(Int64(int(1...1_000_000_000_000)))
    case .position: .integer(Int64(int(-1_000_000_000...1_000_000_000)))
    case .start, .end: .integer(Int64(date().rawValue))
    case .goal: .text("\(int(1...1000))/\(int(1...366))d")
    }
  }

  mutating func entryRecorded() -> EntryRecorded {
    EntryRecorded(
      habit: id(), date: date(), kind: entryKind(),
      value: bool() ? 1000 : Int64(int(0...1_000_000_000_000)),
      at: optional { $0.instant() },
      note: optional { $0.text(0...2_000) })
  }

  private mutating func entryKind() -> EntryKind {
    switch int(1...4) {
    case 1: .mark
    case 2: .occurrence(slot: id(), time: time())
    case 3: .imported(source: text(1...200))
    default: .amount
    }
  }

  mutating func entryVoided() -> EntryVoided {
    EntryVoided(
      items: array(1...3) { generator in
        .init(entry: generator.id(), recordings: generator.array(1...3) { $0.eventID() })
      })
  }

  mutating func branchesClosed() -> BranchesClosed {
    BranchesClosed(
      heads: array(1...BranchesClosed.maxHeads) { generator in
        Head(
          replica: generator.id(),
          sequence: SequenceNumber(rawValue: UInt64(generator.int(1...(1 << 53)))),
          id: generator.eventID())
      })
  }

  mutating func dayMarked() -> DayMarked {
    let first = date()
    let room = first.days(to: CivilDate.accepted.upperBound)
    return DayMarked(
      habit: id(), first: first,
      last: first.adding(days: int(0...Swift.min(room, DayMarked.maxDays - 1))), mark: element())
  }

  mutating func pause() -> Pause {
    Pause(id: id(), habit: optional { $0.id() }, first: date(), last: optional { $0.date() })
  }

  mutating func permission() -> PermissionChanged {
    PermissionChanged(
      Permission(status: element(), options: Permission.Options(rawValue: UInt32(int(0...7)))),
      at: optional { $0.instant() })
  }

  mutating func alertsSet() -> AlertsSet {
    AlertsSet(
      device: id(), isOn: optional { $0.bool() }, badgeIsOn: optional { $0.bool() },
      soundIsOn: optional { $0.bool() })
  }

  mutating func deviceDescription() -> DeviceDescription {
    DeviceDescription(
      name: text(1...64), role: element(), zone: text(1...64), zoneDataVersion: text(0...32),
      capacity: int(1...10_000), predecessor: optional { $0.id() })
  }

  /// The number of a kind that this build does not know.
  mutating func unknownKind() -> UInt32 {
    pick([29, 30, 31, 1_000, (1 << 29) - 1]) ?? 29
  }
}

/// Choices.
extension PayloadGenerator {
  mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

  mutating func bool() -> Bool { .random(using: &random) }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }

  mutating func time() -> TimeOfDay {
    TimeOfDay(minute: int(0...1439)) ?? "12:00"
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &random)
  }

  mutating func element<Element: CaseIterable>() -> Element {
    let all = Array(Element.allCases)
    return all[int(0...all.count - 1)]
  }

  mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? {
    bool() ? make(&self) : nil
  }

  mutating func array<Element>(
    _ count: ClosedRange<Int>, _ make: (inout Self) -> Element
  ) -> [Element] {
    (0..<int(count)).map { _ in make(&self) }
  }

  func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80
      ? [UInt8(value)] : [UInt8(truncatingIfNeeded: value) | 0x80] + varint(value >> 7)
  }
}
