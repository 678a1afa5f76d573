import CarillonModel
import Foundation

/// The notes of Loop's CSV export: in a folder for each habit, such as `001 Meditate`, beside the
/// values that `Checkmarks.csv` has too.
struct LoopNotes {
  /// By habit and date; what was taken is gone.
  private var notes: [HabitID: [CivilDate: (text: String, place: String)]] = [:]

  /// Reads the folders that are there; a habit without one, or from a version of Loop that wrote no
  /// notes, has none.
  ///
  /// - Parameters:
  ///   - folder: The folder of the export.
  ///   - habits: In the order of `Habits.csv`, by which the folders are numbered.
  ///   - digest: Takes in the files that have notes.
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

  /// The note of a date, which is not given a second time.
  mutating func take(of habit: HabitID, on date: CivilDate) -> String? {
    notes[habit]?.removeValue(forKey: date)?.text
  }

  /// The notes that were not taken, and whose dates are thus not in `Checkmarks.csv`, by habit and
  /// date.
  mutating func takeRest() -> [(habit: HabitID, date: CivilDate, text: String, place: String)] {
    defer { notes = [:] }
    return notes.sorted { $0.key < $1.key }.flatMap { habit, dates in
      dates.sorted { $0.key < $1.key }.map { (habit, $0.key, $0.value.text, $0.value.place) }
    }
  }

  // MARK: - Parts

  private static let fileName = "Checkmarks.csv"
  private static let maxNameCount = 100

  /// What Loop calls a habit's folder: its number, and of its title the plain characters; with a
  /// title that begins with blanks, versions differ.
  private static func folderNames(of title: String, number: Int) -> [String] {
    let plain = title.unicodeScalars.filter {
      $0.isASCII && ($0.properties.isAlphabetic || " 0123456789._-".unicodeScalars.contains($0))
    }
    let name = String(String.UnicodeScalarView(plain.prefix(maxNameCount)))
    let names = ["\(number.padded(3)) \(name)", "\(number.padded(3)) \(name.trimmed)"]
    return Array(Set(names + names.map(\.trimmed))).sorted()
  }

  /// Those of a file; nil where it has none.
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
        throw reader.problem("has no date \"\(row.values[dates])\"", on: row.line)
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
