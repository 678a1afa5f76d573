import Carillon
import CarillonImport
import Foundation

/// A file of another kind that was given as a list of events, recognized by its first bytes.
struct RecognizedFile {
  /// The kind of file, such as `a calendar`.
  let name: String
  /// What to do with the file.
  let hint: String

  private init(_ name: String, hint: String) {
    self.name = name
    self.hint = hint
  }

  private init(_ name: String, _ format: ImportFormat) {
    self.init(name, hint: "give --format \(format.rawValue)")
  }

  /// Recognizes a file; nil if it may be a list of events.
  init?(_ file: InputFile) throws {
    let data = try file.beginning(maxBytes: 256)
    let text = String(decoding: data, as: UTF8.self)
    let words = text.drop { $0 == "\u{FEFF}" || $0.isWhitespace }.lowercased()
    let row = words.replacing("\"", with: "")
    if text.hasPrefix("SQLite format 3\0") {
      self.init(
        "a SQLite database", hint: "if it is a backup of Loop Habit Tracker, give --format loop")
    } else if text.hasPrefix("PK\u{3}\u{4}") {
      self.init("a zip archive", hint: "unpack it; for Loop's CSV export give --format loop-csv")
    } else if words.hasPrefix("begin:vcalendar") {
      self.init("a calendar", .ics)
    } else if row.hasPrefix("habitname,") {
      self.init("an export of HabitBull", .habitBull)
    } else if row.hasPrefix("position,name,") || row.hasPrefix("name,type,") {
      self.init("a part of Loop's CSV export", .loopCSV)
    } else {
      return nil
    }
  }

  /// Recognizes the folder of an export; nil if it is not one.
  init?(folder path: String) {
    let habits = URL(filePath: path).appending(path: "Habits.csv").path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: habits) else { return nil }
    self.init("the folder of Loop's CSV export", .loopCSV)
  }
}
