import CarillonModel
import CarillonTestSupport
import Foundation

@testable import Carillon
@testable import CarillonImport

/// A daily event, with its hour as the UID.
struct SiblingEvent {
  var hour: String
  var title = "Pill"
  var sibling: String? = "a"
  var lines: [String] = []

  /// The lines of the event.
  var text: [String] {
    ["BEGIN:VEVENT", "UID:\(hour)", "SUMMARY:\(title)"] + lines
      + (sibling.map { ["RELATED-TO;RELTYPE=SIBLING:\($0)"] } ?? [])
      + ["DTSTART:20260105T\(hour)00", "RRULE:FREQ=DAILY", "BEGIN:VALARM", "ACTION:DISPLAY"]
      + ["TRIGGER:PT0S", "END:VALARM", "END:VEVENT"]
  }

  /// The ID of the event's reminder.
  var reminder: ScheduleID { .imported(of: .imported(from: "ics", .uuid(hour)), named: "0") }

  func changed(_ day: Int) -> SiblingEvent {
    var event = self
    event.lines.append("LAST-MODIFIED:202601\(10 + day)T120000Z")
    return event
  }

  func exported(_ day: Int) -> SiblingEvent {
    var event = self
    event.lines.append("DTSTAMP:202601\(10 + day)T120000Z")
    return event
  }
}

/// A store and the calendar that is imported into it.
struct CalendarBench {
  let store: Store
  let files: URL

  func add(_ events: SiblingEvent..., comment: String = "") async throws -> ImportReport {
    try await add(events, comment: comment)
  }

  /// - Parameter comment: Makes a file that was not imported before.
  func add(_ events: [SiblingEvent], comment: String = "") async throws -> ImportReport {
    let lines = (comment.isEmpty ? [] : ["X-COMMENT:\(comment)"]) + events.flatMap(\.text)
    return try await add(CalendarSamples.text(lines))
  }

  func add(_ text: String) async throws -> ImportReport {
    let file = files.appending(path: "calendar.ics")
    try Data(text.utf8).write(to: file)
    return try await store.importHabits(from: file, format: .ics)
  }

  /// The reminders of each habit in use, by its title.
  func reminders() async throws -> [String: Set<ScheduleID>] {
    let habits = try await store.habits()
    return Dictionary(
      uniqueKeysWithValues: habits.map { ($0.title, Set($0.schedules.map(\.id))) })
  }

  /// Runs a test with a new store.
  static func run(_ test: @escaping (CalendarBench) async throws -> Void) async throws {
    try await withStoreAndFiles { store, files in
      try await test(CalendarBench(store: store, files: files))
    }
  }
}
