import CarillonModel

/// A VEVENT or VTODO as read: a whole series, or one of its changed instances.
struct CalendarEvent {
  let line: Int
  let isToDo: Bool
  let uid: String?
  /// The UID of an event that belongs to the same habit; nil if none is named.
  let sibling: String?
  let title: String
  let notes: [String]
  let category: String?
  let isCancelled: Bool
  let revision: CalendarRevision
  /// When it was completed; nil if it was not.
  private(set) var completed: CalendarTime?
  let isCompleted: Bool
  /// DTSTART, or DUE if there is none.
  let start: CalendarTime?
  /// The duration of one instance, in elapsed minutes.
  let minutes: Int
  /// The instance of the series that it changes; nil for the series itself.
  let instance: CalendarTime?
  /// RRULE.
  let rules: [ICalendarLine]
  /// EXRULE.
  let excludedRules: [ICalendarLine]
  let additions: [CalendarTime]
  let exceptions: [CalendarTime]
  private(set) var alarms: [CalendarAlarm] = []

  /// Properties that carry information but have no place in a store.
  private static let placeless: Set = [
    "ATTENDEE", "ATTACH", "ACKNOWLEDGED", "X-APPLE-DEFAULT-ALARM", "RELATED-TO",
  ]

  /// Reads a component, and counts the parts that have no place in a store.
  ///
  /// - Throws: `CalendarLoss` if the component cannot be imported at all.
  init(
    _ component: ICalendarComponent, _ reader: ICalendarReader, _ zones: CalendarZones,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) throws {
    line = component.line
    isToDo = component.name == "VTODO"
    uid = component["UID"].map(\.value).flatMap { $0.isEmpty ? nil : $0 }
    sibling = component.all("RELATED-TO").first(where: \.namesSibling)?.value
    title = component["SUMMARY"]?.value.calendarText ?? ""
    notes = ["DESCRIPTION", "LOCATION", "URL"].compactMap {
      component[$0].map { $0.name == "URL" ? $0.value : $0.value.calendarText }
    }.filter { !$0.isEmpty }
    category = component["CATEGORIES"].map { String(Self.firstText(in: $0.value)).calendarText }
      .flatMap { $0.isEmpty ? nil : $0 }
    let status = component["STATUS"]?.value.uppercased()
    isCancelled = status == "CANCELLED"
    isCompleted = isToDo && (status == "COMPLETED" || component["COMPLETED"] != nil)
    revision = CalendarRevision(component)
    instance = try Self.instance(component, reader, zones)
    start = try (component["DTSTART"] ?? component["DUE"]).map {
      try reader.time(of: $0, in: zones)
    }
    minutes = try Self.minutes(component, start, reader, zones)
    rules = component.all("RRULE")
    excludedRules = component.all("EXRULE")
    additions = try component.all("RDATE").flatMap { try reader.times(of: $0, in: zones) }
    exceptions = try component.all("EXDATE").flatMap { try reader.times(of: $0, in: zones) }
    if isCompleted {
      completed = try component["COMPLETED"].map { try reader.time(of: $0, in: zones) }
    }
    guard start != nil || isToDo else {
      throw reader.problem("starts an event without DTSTART", on: line)
    }
    try readAlarms(component, reader, zones, &ignored)
    Self.count(component, &ignored)
    if start?.hasSeconds == true { ignored.add(.seconds, at: "line \(component.line)") }
  }

  // MARK: - Parts

  /// Returns the first text of a list as written; an escaped comma does not end it.
  private static func firstText(in list: String) -> Substring {
    var isEscaped = false
    return list.prefix { character in
      defer { isEscaped = character == "\\" && !isEscaped }
      return isEscaped || character != ","
    }
  }

  /// Returns the moment of the instance; nil if the component is not an instance.
  private static func instance(
    _ component: ICalendarComponent, _ reader: ICalendarReader, _ zones: CalendarZones
  ) throws -> CalendarTime? {
    guard let line = component["RECURRENCE-ID"] else { return nil }
    if let range = line["RANGE"] {
      throw CalendarLoss(
        .recurrences, line.number, "RECURRENCE-ID: RANGE=\(ICalendarLine.excerpt(range))")
    }
    return try reader.time(of: line, in: zones)
  }

  /// Returns the duration in minutes: up to DTEND or DUE, or as in DURATION.
  ///
  /// An all-day event lasts one day.
  ///
  /// - Throws: `CalendarLoss` for an event that ends before it starts.
  private static func minutes(
    _ component: ICalendarComponent, _ start: CalendarTime?, _ reader: ICalendarReader,
    _ zones: CalendarZones
  ) throws -> Int {
    guard let start else { return 0 }
    if let line = component["DURATION"] {
      let seconds = try reader.seconds(line.value, of: line)
      guard seconds >= 0 else { throw CalendarLoss(.dates, line.number, "DURATION below 0") }
      return seconds / 60
    }
    guard let line = component["DTEND"] ?? component["DUE"] else {
      return start.isDate && component.name == "VEVENT" ? 1_440 : 0
    }
    let minutes = zones.minutes(from: start, to: try reader.time(of: line, in: zones))
    guard minutes >= 0 else {
      throw CalendarLoss(.dates, line.number, "\(line.name) before DTSTART")
    }
    return minutes
  }

  private mutating func readAlarms(
    _ component: ICalendarComponent, _ reader: ICalendarReader, _ zones: CalendarZones,
    _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) throws {
    var found: Set<CalendarAlarm> = []
    for child in component.children where child.name == "VALARM" {
      do {
        guard let alarm = try CalendarAlarm(child, title: title, reader, zones),
          found.insert(alarm).inserted
        else { continue }
        alarms.append(alarm)
      } catch let loss as CalendarLoss {
        ignored.add(loss.reason, at: loss.place)
      }
    }
  }

  private static func count(
    _ component: ICalendarComponent, _ ignored: inout [ImportReport.Reason: ImportReport.Loss]
  ) {
    for part in [component] + component.children.filter({ $0.name == "VALARM" }) {
      for line in part.properties where placeless.contains(line.name) {
        // The sound of an alarm is imported.
        if line.name == "ATTACH", part.name == "VALARM" { continue }
        if line.namesSibling { continue }
        ignored.add(.properties, at: "line \(line.number): \(line.name)")
      }
    }
  }
}

extension ICalendarLine {
  /// Whether the line relates its event to a sibling.
  fileprivate var namesSibling: Bool {
    name == "RELATED-TO" && self["RELTYPE"]?.uppercased() == "SIBLING"
  }
}
