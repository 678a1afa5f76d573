package import CarillonModel

/// Random values within their limits.
extension PayloadGenerator {
  /// Returns a random identifier.
  package mutating func id<Subject>() -> Identifier<Subject> { .random(using: &random) }

  /// Returns a random event ID, which belongs to no event.
  package mutating func eventID() -> EventID {
    EventID(words: (random.next() >> 1, random.next(), random.next(), random.next()))
  }

  /// Returns a date from 1970 to 2200, often one of the ends.
  package mutating func date() -> CivilDate {
    let last = CivilDate.accepted.upperBound.rawValue
    return CivilDate(rawValue: pick([0, last, 20_780, Int32(int(0...Int(last)))]) ?? 0)
  }

  /// Returns text with a byte count in a range, in UTF-8, with characters of one to four bytes.
  package mutating func text(_ bytes: ClosedRange<Int>) -> String {
    let wanted = int(1...8) == 1 ? bytes.upperBound : int(bytes)
    let letters = ["a", "Z", "0", " ", "\"", "\\", "\n", "\u{1}", "/", "é", "ß", "日", "🌊"]
    var text = ""
    while let letter = pick(letters), text.utf8.count + letter.utf8.count <= wanted {
      text += letter
    }
    return text.utf8.count < bytes.lowerBound ? "x" : text
  }

  mutating func instant() -> Instant {
    Instant(milliseconds: integer(0...(1 << 45) - 1))
  }

  /// Returns a recurrence in the format of RFC 5545.
  mutating func recurrence() -> String {
    pick([
      "DTSTART;VALUE=DATE:20261123\nRRULE:FREQ=MONTHLY;BYDAY=-1FR",
      "DTSTART:20261123T173000\nRRULE:FREQ=DAILY;INTERVAL=2;COUNT=10",
      "DTSTART:20261123T090000\nRRULE:FREQ=WEEKLY;BYDAY=MO\nEXDATE;VALUE=DATE:20261130",
    ]) ?? ""
  }

  /// Returns the number of a kind that this build does not know.
  mutating func unknownKind() -> UInt32 {
    let next = (Payload.Kind.allCases.map { $0.rawValue }.max() ?? 0) + 1
    return pick([next, next + 1, next + 2, 1_000, (1 << 29) - 1]) ?? next
  }
}

/// Choices out of ranges and lists.
extension PayloadGenerator {
  mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

  mutating func integer(_ range: ClosedRange<Int64>) -> Int64 {
    .random(in: range, using: &random)
  }

  mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] { array(count) { $0.byte() } }

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
