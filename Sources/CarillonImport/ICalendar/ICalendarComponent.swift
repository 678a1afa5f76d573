import Carillon
import CarillonModel

/// The content between BEGIN and END: properties and nested components.
struct ICalendarComponent {
  /// The name in upper case.
  let name: String
  /// The line on which it starts.
  let line: Int
  fileprivate(set) var properties: [ICalendarLine] = []
  fileprivate(set) var children: [ICalendarComponent] = []

  fileprivate init(name: String, line: Int) {
    self.name = name
    self.line = line
  }

  /// The first property with a name.
  subscript(name: String) -> ICalendarLine? { properties.first { $0.name == name } }

  /// Returns all properties with a name.
  func all(_ name: String) -> [ICalendarLine] { properties.filter { $0.name == name } }
}

/// The calendars of a file, read one component at a time.
///
/// A component that is not closed, or closed out of order, is an error that names its line.
struct ICalendarComponents {
  /// A direct child of a calendar.
  enum Item {
    case property(ICalendarLine)
    case component(ICalendarComponent)
  }

  private(set) var reader: ICalendarReader
  /// The line on which the open calendar starts.
  private var opened: Int?
  private var hasCalendar = false
  private var count = 0

  /// The maximum number of direct children of calendars.
  static let maxCount = 100_000
  /// The maximum nesting depth, including the calendar.
  static let maxDepth = 8
  /// The maximum number of properties and nested components in one component of a calendar.
  static let maxPartCount = 5_000

  /// Creates a reader that starts at the beginning.
  init(_ reader: ICalendarReader) {
    self.reader = reader
  }

  /// Returns the next item of a calendar; nil at the end of the file.
  mutating func next() throws -> Item? {
    while let line = try reader.next() {
      guard let opened else {
        try open(line)
        continue
      }
      switch line.name {
      case "BEGIN":
        count += 1
        guard count <= Self.maxCount else {
          throw reader.problem(
            "exceeds \(Self.maxCount) components", on: line.number,
            hint: "export fewer calendars at a time, and import each file")
        }
        return .component(try component(line))
      case "END":
        try check(line, ends: "VCALENDAR", from: opened)
        self.opened = nil
      default: return .property(line)
      }
    }
    if let opened { throw unclosed("VCALENDAR", from: opened) }
    guard hasCalendar else {
      throw reader.problem(
        "contains no calendar", hint: "use a file that starts with BEGIN:VCALENDAR")
    }
    return nil
  }

  // MARK: - Parts

  private mutating func open(_ line: ICalendarLine) throws {
    guard line.name == "BEGIN", Self.name(line) == "VCALENDAR" else {
      throw reader.problem(
        "is not BEGIN:VCALENDAR: \(ICalendarLine.excerpt(line.name))", on: line.number,
        hint: "use a calendar file, whose name ends with .ics")
    }
    opened = line.number
    hasCalendar = true
  }

  /// Reads a component from its first line to its END.
  private mutating func component(_ first: ICalendarLine) throws -> ICalendarComponent {
    var stack = [ICalendarComponent(name: Self.name(first), line: first.number)]
    var partCount = 0
    while let line = try reader.next() {
      partCount += 1
      guard partCount <= Self.maxPartCount else {
        throw reader.problem(
          "exceeds \(Self.maxPartCount) lines in the component that starts on line \(first.number)",
          on: line.number)
      }
      switch line.name {
      case "BEGIN":
        stack.append(ICalendarComponent(name: Self.name(line), line: line.number))
        guard stack.count < Self.maxDepth else {
          throw reader.problem(
            "starts a component within more than \(Self.maxDepth - 1) others", on: line.number)
        }
      case "END":
        let done = stack.removeLast()
        try check(line, ends: done.name, from: done.line)
        if stack.isEmpty { return done }
        stack[stack.count - 1].children.append(done)
      default: stack[stack.count - 1].properties.append(line)
      }
    }
    let open = stack[stack.count - 1]
    throw unclosed(open.name, from: open.line)
  }

  private func check(_ line: ICalendarLine, ends name: String, from first: Int) throws {
    guard Self.name(line) == name else {
      throw reader.problem(
        "ends \(ICalendarLine.excerpt(Self.name(line))), but the \(name) of line \(first) is open",
        on: line.number)
    }
  }

  private func unclosed(_ name: String, from first: Int) -> StoreError {
    reader.problem(
      "starts a \(ICalendarLine.excerpt(name)) that does not end: the file is cut off", on: first)
  }

  private static func name(_ line: ICalendarLine) -> String {
    line.value.filter { $0 != " " && $0 != "\t" }.uppercased()
  }
}
