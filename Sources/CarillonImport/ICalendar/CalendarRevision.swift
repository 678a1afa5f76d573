import CarillonModel

/// The version of a calendar's event from which a habit was made.
///
/// It is stored in the data of the event's schedules. A later import can therefore detect that the
/// calendar has changed the event, regardless of changes that the person made in the store.
struct CalendarRevision: Hashable {
  /// SEQUENCE, which grows when the event is moved.
  var sequence: Int
  /// LAST-MODIFIED in UTC as written, or empty.
  ///
  /// It grows with time, compared as text.
  var modified: String
  /// The digest of all properties that are imported, in hexadecimal digits.
  var digest: String

  /// The key under which the revision is stored in a schedule's data.
  static let key = "ics"

  /// The imported properties of an event and its alarms.
  ///
  /// Changes to other properties are not updates.
  private static let properties: Set = [
    "SUMMARY", "DESCRIPTION", "LOCATION", "URL", "CATEGORIES", "STATUS", "COMPLETED", "DTSTART",
    "DTEND", "DUE", "DURATION", "RRULE", "EXRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "ACTION",
    "TRIGGER", "REPEAT", "ATTACH", "X-APPLE-PROXIMITY", "PROXIMITY", "X-APPLE-STRUCTURED-LOCATION",
  ]

  /// Creates the revision of a component.
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

  /// Creates the revision of a series together with its changed instances.
  init(of revisions: [CalendarRevision]) {
    sequence = revisions.map(\.sequence).max() ?? 0
    modified = revisions.map(\.modified).max() ?? ""
    digest = Self.digest(of: revisions.map(\.digest).sorted())
  }

  /// Whether an event changed from `other` to this version, and not the other way round.
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
  /// The revision as text, such as `2 20260105T073000Z 0123456789abcdef`, with a hyphen if there is
  /// no LAST-MODIFIED.
  var description: String { "\(sequence) \(modified.isEmpty ? "-" : modified) \(digest)" }

  /// Creates a value from the text of ``description``.
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

  /// Creates the revision stored in a habit's schedules; nil if the habit does not come from a
  /// calendar, or has none of its schedules left.
  init?(of habit: Habit) {
    guard let text = habit.schedules.lazy.compactMap({ $0.content.data[Self.key] }).first else {
      return nil
    }
    self.init(text)
  }
}
