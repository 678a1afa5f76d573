import Carillon
import CarillonDocuments
import CarillonImport
import Foundation

/// The format of a file to import, recognized by its first bytes.
struct ImportFileFormat {
  /// The format, or nil if `import` does not read such a file.
  let format: ImportCommand.Format?
  /// What the file looks like, such as `a calendar`.
  let name: String
  /// What to do with a file that `import` does not read.
  let hint: String

  private init(_ name: String, _ format: ImportCommand.Format?, hint: String = Self.formats) {
    self.name = name
    self.format = format
    self.hint = hint
  }

  private static let maxBytes = 256

  /// The hint for a file that may be of any format.
  private static let formats =
    "if it is one of these, give --format "
    + ImportCommand.Format.allValueStrings.formatted(
      .list(type: .or).locale(Locale(identifier: "en")))

  /// Recognizes a file or a folder.
  ///
  /// Standard input and a pipe can be read only once, and count as lists of events.
  ///
  /// - Throws: `notFound`, `io`.
  init(_ path: String) throws {
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
      isDirectory.boolValue
    {
      self.init(folder: path)
    } else {
      let data = try InputFile(path).beginning(maxBytes: Self.maxBytes)
      self.init(data, fileName: URL(filePath: path).lastPathComponent)
    }
  }

  /// Recognizes a folder by the files in it.
  private init(folder path: String) {
    let files = LoopFile.allCases.filter {
      let file = URL(filePath: path).appending(path: $0.rawValue).path(percentEncoded: false)
      return FileManager.default.fileExists(atPath: file)
    }
    self =
      files.isEmpty
      ? Self("a folder without \(LoopFile.habits.rawValue)", nil, hint: "give the path of a file")
      : Self("the folder of Loop's CSV export", .foreign(.loopCSV))
  }

  /// Recognizes a file by its first bytes, and the files of Loop's CSV export also by their names.
  private init(_ data: Data, fileName: String) {
    let text = String(decoding: data, as: UTF8.self)
    let words = text.drop { $0 == "\u{FEFF}" || $0.isWhitespace }.lowercased()
    let row = words.prefix { !$0.isNewline }.replacing("\"", with: "")
    if text.hasPrefix("SQLite format 3\0") {
      self.init("a SQLite database", .foreign(.loop))
    } else if text.hasPrefix("PK\u{3}\u{4}") {
      self.init("a zip archive", nil, hint: "unpack it, and import the file or folder in it")
    } else if words.hasPrefix("begin:vcalendar") {
      self.init("a calendar", .foreign(.ics))
    } else if row.hasPrefix("habitname,") {
      self.init("an export of HabitBull", .foreign(.habitBull))
    } else if LoopFile(rawValue: fileName)?.canBegin(with: row) == true
      || row.hasPrefix("position,name,") || row.hasPrefix("name,type,")
    {
      self.init("a part of Loop's CSV export", .foreign(.loopCSV))
    } else if words.isEmpty || words.hasPrefix("{") {
      self.init("a list of events", .events)
    } else if words.hasPrefix("[") {
      self.init(
        "a JSON list", nil,
        hint: "for notifications of GitHub, run: carillon ingest --source NAME --format github "
          + "FILE")
    } else {
      self.init(Self.unknownName(data, firstLine: text), nil)
    }
  }

  /// Describes a file of an unknown format by its first line.
  private static func unknownName(_ data: Data, firstLine text: String) -> String {
    guard !data.contains(0), String(validating: data.dropLast(3), as: UTF8.self) != nil else {
      return "a binary file of an unknown format"
    }
    let line = text.drop { $0.isWhitespace }.prefix { !$0.isNewline }
    return "a text of an unknown format that begins with \"\(line.prefix(40))\""
  }
}

/// The two files of Loop's CSV export.
private enum LoopFile: String, CaseIterable {
  case habits = "Habits.csv"
  case checkmarks = "Checkmarks.csv"

  /// Whether the file can begin with a row of column names in lower case.
  func canBegin(with row: some StringProtocol) -> Bool {
    let columns = row.split(separator: ",")
    return switch self {
    case .habits: columns.contains("name")
    case .checkmarks: columns.first == "date"
    }
  }
}
