import CarillonModel

/// Which version of a calendar's event a habit was made of.
///
/// It stands in the data of the event's schedules, so that a later import knows whether the
/// calendar has changed the event since, whatever the person changed in the store.
struct CalendarRevision: Hashable {
  /// SEQUENCE: greater where the event was moved.
  var sequence: Int
  /// LAST-MODIFIED in UTC as it came, or empty; it grows with time, as text.
  var modified: String
  /// Of what is read of the event, in hexadecimal digits.
  var digest: String

  /// Under which name it stands in a schedule's data.
  static let key = "ics"

  /// What is read of an event, of its alarms too; all else may change without being an update.
  private static let properties: Set = [
    "SUMMARY", "DESCRIPTION", "LOCATION", "URL", "CATEGORIES", "STATUS", "COMPLETED", "DTSTART",
    "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "ACTION", "TRIGGER",
    "REPEAT", "ATTACH", "X-APPLE-PROXIMITY", "PROXIMITY", "X-APPLE-STRUCTURED-LOCATION",
  ]

  /// That of a component.
  init(_ component: ICalendarComponent) {
    sequence = component["SEQUENCE"].flatMap { Int(digits: $0.value) } ?? 0
    let modified = component["LAST-MODIFIED"]?.value ?? ""
    self.modified = modified.utf8.count <= 16 && !modified.contains(" ") ? modified : ""
    var lines: [String] = []
    for part in [component] + component.children.filter({ $0.name == "VALARM" }) {
      lines.append(part.name)
      lines += part.properties.filter { Self.properties.contains($0.name) }.map { line in
        let parameters = line.parameters.map { ";\($0.name)=\($0.values.joined(separator: ","))" }
        return line.name + parameters.joined() + ":" + line.value
      }
    }
    digest = Self.digest(of: lines)
  }

  /// That of a series and its instances that differ.
  init(of revisions: [CalendarRevision]) {
    sequence = revisions.map(\.sequence).max() ?? 0
    modified = revisions.map(\.modified).max() ?? ""
    digest = Self.digest(of: revisions.map(\.digest).sorted())
  }

  /// Whether an event changed from another version to this one, and not the other way round.
  func replaces(_ other: Self) -> Bool {
    guard digest != other.digest else { return false }
    return (sequence, modified) >= (other.sequence, other.modified)
  }

  private static func digest(of lines: [String]) -> String {
    var digest = ContentDigest()
    for line in lines { Array((line + "\n").utf8).withUnsafeBytes { digest.update($0) } }
    return digest.finalize().prefix(8).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}

extension CalendarRevision: LosslessStringConvertible {
  /// `2 20260105T073000Z 0123456789abcdef`; a hyphen where there is no LAST-MODIFIED.
  var description: String { "\(sequence) \(modified.isEmpty ? "-" : modified) \(digest)" }

  /// Parses what ``description`` writes.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, let sequence = Int(digits: parts[0]), parts[2].utf8.count == 16 else {
      return nil
    }
    self.init(
      sequence: sequence, modified: parts[1] == "-" ? "" : String(parts[1]),
      digest: String(parts[2]))
  }

  private init(sequence: Int, modified: String, digest: String) {
    self.sequence = sequence
    self.modified = modified
    self.digest = digest
  }

  /// That of a habit's schedules; nil where it comes from no calendar, or has no schedule of it
  /// left.
  init?(of habit: Habit) {
    guard let text = habit.schedules.lazy.compactMap({ $0.content.data[Self.key] }).first else {
      return nil
    }
    self.init(text)
  }
}
