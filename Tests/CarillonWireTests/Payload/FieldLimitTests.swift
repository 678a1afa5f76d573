import CarillonModel
import Foundation
import Testing

@testable import CarillonTestSupport

/// The limits of fields in the guide, compared with the descriptions of the kinds.
@Suite("Limits of fields")
struct FieldLimitTests {
  @Test("The guide states the range of every field")
  func guide() throws {
    let guide = try String(
      contentsOf: DescriptionTests.root.appending(
        path: "Sources/Carillon/Carillon.docc/Guides/Limits.md"), encoding: .utf8)
    var stated: Set<String> = []
    for line in guide.split(separator: "\n") {
      let cells = line.components(separatedBy: " | ")
      guard cells.count == 2, let bounds = Self.bounds(cells[1]) else { continue }
      for name in cells[0].matches(of: /`(\w+)`/).map(\.output.1) where name != "data" {
        stated.insert("\(name) \(bounds)")
      }
      if cells[0].contains("`data`") { stated.insert("data \(bounds)") }
    }
    let described = try Set(Self.fields().map { "\($0.field.name) \($0.range)" })
    #expect(stated.subtracting(described).sorted() == [])
    #expect(described.subtracting(stated).sorted() == [])
  }

  @Test("A value at the limit of its field is accepted, and one beyond it is refused")
  func bounds() throws {
    let fields = try Self.fields()
    #expect(fields.count > 50)
    for (field, range, isCount) in fields {
      let (least, most) = (range.lowerBound, range.upperBound)
      for (number, isAccepted) in [
        (least - 1, false), (least, true), (most, true), (most + 1, false),
      ]
      where number >= 0 || field.type.isNumber {
        #expect(
          Self.accepts(number, field, isCount ? range : nil) == isAccepted,
          "\(field.name) \(number)")
      }
    }
  }

  /// Whether a field accepts a number, a size, or a number of elements.
  private static func accepts(_ number: Int64, _ field: Field, _ count: ClosedRange<Int64>?) -> Bool
  {
    do throws(ModelError) {
      if let count {
        try field.check(count: Int(number), in: Int(count.lowerBound)...Int(count.upperBound))
        return true
      }
      switch field.type {
      case .text: try field.check(.text(String(repeating: "a", count: Int(number))))
      case .bytes: try field.check(.bytes([UInt8](repeating: 0, count: Int(number))))
      default: try field.check(.integer(number))
      }
      return true
    } catch {
      return false
    }
  }

  /// The bounds of a cell such as `1 to 10^12` or `-10 to 10 s`.
  private static func bounds(_ cell: String) -> ClosedRange<Int64>? {
    guard let found = cell.firstMatch(of: /^(-?[\d,^]+) to ([\d,^]+)/),
      let least = number(found.output.1), let most = number(found.output.2)
    else { return nil }
    return least...most
  }

  private static func number(_ text: Substring) -> Int64? {
    if text.hasPrefix("-") { return number(text.dropFirst()).map { -$0 } }
    let parts = text.replacing(",", with: "").split(separator: "^").compactMap { Int64($0) }
    guard let base = parts.first, parts.count <= 2 else { return nil }
    return (1..<(parts.count == 2 ? parts[1] : 1)).reduce(base) { product, _ in product * base }
  }

  /// The fields with a limit of any of many random payloads.
  private static func fields() throws -> [(field: Field, range: ClosedRange<Int64>, isCount: Bool)]
  {
    var list = LimitList()
    for kind in Payload.Kind.allCases {
      var generator = PayloadGenerator(SeededGenerator(seed: UInt64(kind.rawValue)))
      for _ in 0..<200 { try generator.payload(of: kind).content?.showFields(to: &list) }
    }
    return Array(list.found.values)
  }
}

extension FieldType {
  /// Whether a limit is one of the value, and not of its size.
  fileprivate var isNumber: Bool {
    switch self {
    case .text, .bytes, .message: false
    default: true
    }
  }
}

/// Collects the fields that have a limit.
private struct LimitList: FieldVisitor {
  var found: [String: (field: Field, range: ClosedRange<Int64>, isCount: Bool)] = [:]

  var isReading: Bool { false }
  var hasTexts: Bool { true }
  var hasColumns: Bool { false }

  mutating func visit(_ field: Field, _ content: inout FieldContent?) throws(ModelError) {
    add(field)
  }

  mutating func visit(
    _ field: Field, list: inout [FieldContent], count: ClosedRange<Int>
  ) throws(ModelError) {
    add(field, count)
  }

  mutating func visit(
    _ field: Field, members: inout [String: FieldContent]
  ) throws(ModelError) {
    add(field)
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, group: inout Group?
  ) throws(ModelError) {
    try (group ?? Group.blank).showFields(to: &self)
  }

  mutating func visit<Group: FieldGroup>(
    _ field: Field, groups: inout [Group], count: ClosedRange<Int>
  ) throws(ModelError) {
    add(field, count)
    try (groups.first ?? Group.blank).showFields(to: &self)
  }

  mutating func visit<Choice: FieldChoice>(
    _ name: String, choice: inout Choice, form: ChoiceForm
  ) throws(ModelError) {
    guard choice.unknownAlternative == nil else { return }
    var copy = choice
    try copy.visitFields(&self)
  }

  mutating func visit(
    cleared number: Int, _ name: String, in list: Int, _ isCleared: inout Bool
  ) throws(ModelError) {}

  private mutating func add(_ field: Field, _ count: ClosedRange<Int>? = nil) {
    let count = count.map { Int64($0.lowerBound)...Int64($0.upperBound) }
    // A range of one value is a format, and a set of weekdays is none of numbers.
    guard let range = count ?? field.limit, range.lowerBound < range.upperBound else { return }
    if case .weekdays = field.type { return }
    found["\(field.name) \(range)"] = (field, range, count != nil)
  }
}
