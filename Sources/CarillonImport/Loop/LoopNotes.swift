import CarillonModel
import Foundation

/// The notes of Loop's CSV export.
///
/// Each habit has a folder such as `001 Meditate`, which contains its notes and the values that are
/// also in `Checkmarks.csv`.
struct LoopNotes {
  /// By habit and date, without notes already taken.
  private var notes: [HabitID: [CivilDate: (text: String, place: String)]] = [:]

  /// Reads the folders that exist.
  ///
  /// A habit without a folder, or from a version of Loop that exported no notes, has none.
  ///
  /// - Parameters:
  ///   - folder: The folder of the export.
  ///   - habits: In the order of `Habits.csv`, which determines the folders' numbers.
  ///   - digest: Updated with the files that contain notes.
  init(
    in folder: URL, of habits: [(title: String, habit: Habit)], _ digest: inout ContentDigest
  ) throws {
    for (index, (title, habit)) in habits.enumerated() {
      for name in Self.folderNames(of: title, number: index + 1) {
        let file = folder.appending(path: "\(name)/\(Self.fileName)")
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
          continue
        }
        let bytes = try ImportFile.contents(of: file)
        guard let found = try Self.notes(bytes, of: file, named: "\(name)/\(Self.fileName)") else {
          break
        }
        bytes.withUnsafeBytes { digest.update($0) }
        notes[habit.id] = found
        break
      }
    }
  }

  /// Returns and removes the note of a date.
  mutating func take(of habit: HabitID, on date: CivilDate) -> String? {
    notes[habit]?.removeValue(forKey: date)?.text
  }

  /// Returns and removes all remaining notes, by habit and date.
  ///
  /// Their dates are not in `Checkmarks.csv`.
  mutating func takeRest() -> [(habit: HabitID, date: CivilDate, text: String, place: String)] {
    defer { notes = [:] }
    return notes.sorted { $0.key < $1.key }.flatMap { habit, dates in
      dates.sorted { $0.key < $1.key }.map { (habit, $0.key, $0.value.text, $0.value.place) }
    }
  }

  // MARK: - Parts

  private static let fileName = "Checkmarks.csv"
  private static let maxNameCount = 100

  /// Returns the possible names of a habit's folder: its number, then the plain characters of its
  /// title.
  ///
  /// For a title that starts with blanks, versions of Loop differ.
  private static func folderNames(of title: String, number: Int) -> [String] {
    let plain = title.unicodeScalars.filter {
      $0.isASCII && ($0.properties.isAlphabetic || " 0123456789._-".unicodeScalars.contains($0))
    }
    let name = String(String.UnicodeScalarView(plain.prefix(maxNameCount)))
    let names = ["\(number.padded(3)) \(name)", "\(number.padded(3)) \(name.trimmed)"]
    return Array(Set(names + names.map(\.trimmed))).sorted()
  }

  /// Returns the notes in a file; nil if it has no notes.
  private static func notes(
    _ bytes: [UInt8], of file: URL, named name: String
  ) throws -> [CivilDate: (text: String, place: String)]? {
    var reader = CSVReader(bytes, of: file, named: name)
    let header = try reader.next()?.values ?? []
    guard let dates = header.firstIndex(of: "Date"), let texts = header.firstIndex(of: "Notes")
    else { return nil }
    var found: [CivilDate: (text: String, place: String)] = [:]
    while let row = try reader.next() {
      guard let date = CivilDate(row.values[dates]) else {
        throw reader.problem(
          "has \"\(row.values[dates])\", which is not a date YYYY-MM-DD", on: row.line)
      }
      let text = row.values[texts]
      if !text.isEmpty { found[date] = (text, "\(name) line \(row.line)") }
    }
    return found
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: CharacterSet(charactersIn: " ")) }
}
