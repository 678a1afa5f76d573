import CarillonModel

/// The version of a calendar's event from which a schedule was made.
///
/// It is stored in the data of the schedule. A later import can therefore detect that the calendar
/// has changed the event, regardless of changes that the person made in the store.
struct CalendarRevision: Hashable {
  /// SEQUENCE, which grows when the event is moved.
  private let sequence: Int
  /// The later one of DTSTAMP and LAST-MODIFIED in UTC as written, or empty.
  ///
  /// It grows with time, compared as text.
  let stamp: String
  /// The digest of all properties of the event and its instances that are imported, in hexadecimal
  /// digits.
  var content: String
  /// The digest of the contents of all events of the habit that take place.
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
    stamp =
      ["DTSTAMP", "LAST-MODIFIED"].compactMap { component[$0]?.value }
      .filter { $0.utf8.count <= 16 && !$0.contains(" ") }.max() ?? ""
    var lines: [String] = []
    for part in [component] + component.children.filter({ $0.name == "VALARM" }) {
      lines.append(part.name)
      lines += part.properties.filter { Self.properties.contains($0.name) }.map { line in
        let parameters = line.parameters.map { ";\($0.name)=\($0.values.joined(separator: ","))" }
        return line.name + parameters.joined() + ":" + line.value
      }
    }
    content = Self.digest(of: lines)
    digest = content
  }

  /// Whether this version of an event is older than another version of it.
  func isOlder(than other: Self) -> Bool {
    (sequence, stamp) < (other.sequence, other.stamp)
  }

  /// Returns the digest of lines of text.
  static func digest(of lines: [String]) -> String {
    var digest = ContentDigest()
    for line in lines { Array((line + "\n").utf8).withUnsafeBytes { digest.update($0) } }
    return digest.finalize().prefix(8).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}

extension CalendarRevision: LosslessStringConvertible {
  /// The revision as text, such as `2 20260105T073000Z 0123456789abcdef 0011223344556677`, with a
  /// hyphen if there is no stamp.
  var description: String {
    "\(sequence) \(stamp.isEmpty ? "-" : stamp) \(content) \(digest)"
  }

  /// Creates a value from the text of ``description``.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    // More parts may follow.
    guard parts.count >= 4, let sequence = Int(digits: parts[0]),
      parts[2].utf8.count == 16, parts[3].utf8.count == 16
    else { return nil }
    self.sequence = sequence
    stamp = parts[1] == "-" ? "" : String(parts[1])
    content = String(parts[2])
    digest = String(parts[3])
  }
}

extension Schedule {
  /// The version of the calendar's event from which the schedule was made; nil if it does not come
  /// from a calendar.
  var revision: CalendarRevision? {
    get { content.data[CalendarRevision.key].flatMap { CalendarRevision($0) } }
    set { content.data[CalendarRevision.key] = newValue?.description }
  }
}
