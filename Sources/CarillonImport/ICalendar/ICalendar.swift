import Carillon
import CarillonModel
import Foundation

/// An iCalendar file, as exported by Apple's and Google's calendars.
///
/// The events and to-dos with one UID become a habit, and their alarms its schedules. Siblings
/// become one habit, see ``CalendarGroups``. Events that the store itself exported are left out.
///
/// The file is read twice, since a zone may be defined after the events that use it.
struct ICalendar: ImportSource {
  static let name = ImportedTime.Source.calendar.rawValue
  private(set) var habits: [Habit] = []
  static let countsHabits = true
  var rowCount: Int { habits.count + days.count }
  var report: ImportReport {
    var report = ImportReport()
    (report.ignored, report.seen) = (ignored, exportedCount)
    (report.exported, report.overflow, report.deleted) = (exportedCount, overflowCount, deleted)
    return report
  }
  let digest: [UInt8]
  private(set) var ignored: [ImportReport.Reason: ImportReport.Loss] = [:]
  /// The number of events that the store itself exported.
  private var exportedCount = 0
  /// The number of events for which the habit of their siblings had no room.
  private var overflowCount = 0
  /// The deleted habit of each new event whose siblings the store has there.
  private var deleted: [HabitID] = []
  private var days: [ForeignDay] = []
  private var nextDay = 0

  private var keys: [ImportKey: Int] = [:]
  private(set) var series: [CalendarSeries] = []
  /// The keys with a component that cannot be imported.
  ///
  /// Importing only their other components would be wrong.
  private(set) var refused: Set<ImportKey> = []
  let zones: CalendarZones
  private var untitled: [String: UInt32] = [:]

  /// Reads the whole file, so that its format is known to be valid.
  init(_ file: URL, in stored: StoredHabits) throws {
    try self.init(Self.contents(of: file), named: file.lastPathComponent, in: stored)
  }

  /// Returns the bytes of a file, which is not read beyond a line that is too long.
  static func contents(of file: URL) throws -> [UInt8] {
    var lines = ICalendarLineCheck(named: file.lastPathComponent)
    return try ImportFile.contents(
      of: file, archiveHint: "unpack it, and give one of its .ics files"
    ) { piece in try piece.withUnsafeBytes { try lines.check($0) } }
  }

  /// Reads a file's bytes.
  init(_ bytes: [UInt8], named name: String, in stored: StoredHabits = StoredHabits([])) throws {
    try self.init(seriesOf: bytes, named: name)
    try makeHabits(in: stored)
    (keys, series, refused, untitled) = ([:], [], [], [:])
  }

  /// Reads the events of a file without converting them into habits.
  init(seriesOf bytes: [UInt8], named name: String) throws {
    var digest = ContentDigest()
    bytes.withUnsafeBytes { digest.update($0) }
    self.digest = digest.finalize()
    let reader = ICalendarReader(bytes, named: name)
    zones = try Self.zones(reader)
    try readEvents(reader, zones)
  }

  mutating func next(_ limit: Int) throws -> ForeignBatch? {
    guard nextDay < days.count else { return nil }
    let end = min(nextDay + limit, days.count)
    defer { nextDay = end }
    return ForeignBatch(rows: end - nextDay, days: Array(days[nextDay..<end]))
  }

  // MARK: - Parts

  private static func zones(_ reader: ICalendarReader) throws -> CalendarZones {
    let zones = CalendarZones()
    var components = ICalendarComponents(reader)
    while let item = try components.next() {
      switch item {
      case .property(let line) where line.name == "X-WR-TIMEZONE": zones.setStandard(line.value)
      case .component(let component) where component.name == "VTIMEZONE": zones.add(component)
      case .property, .component: break
      }
    }
    return zones
  }

  private mutating func readEvents(_ reader: ICalendarReader, _ zones: CalendarZones) throws {
    var components = ICalendarComponents(reader)
    while let item = try components.next() {
      guard case .component(let component) = item else { continue }
      switch component.name {
      case "VEVENT", "VTODO": try add(component, reader, zones)
      case "VTIMEZONE": break
      default:
        ignored.add(
          .components, at: "line \(component.line): \(ICalendarLine.excerpt(component.name))")
      }
      try Task.checkCancellation()
    }
  }

  private mutating func add(
    _ component: ICalendarComponent, _ reader: ICalendarReader, _ zones: CalendarZones
  ) throws {
    let key = key(of: component)
    do {
      let event = try CalendarEvent(component, reader, zones, &ignored)
      let index = keys[key] ?? series.count
      if index == series.count {
        series.append(CalendarSeries(key))
        keys[key] = index
      }
      if series[index].add(event) { ignored.add(.repeats, at: "line \(component.line)") }
    } catch let loss as CalendarLoss {
      refused.insert(key)
      ignored.add(loss.reason, at: loss.place)
    }
  }

  /// Returns the UID, or the title and the date if there is none.
  private mutating func key(of component: ICalendarComponent) -> ImportKey {
    if let uid = component["UID"]?.value, !uid.isEmpty { return .uuid(uid) }
    let start = (component["DTSTART"] ?? component["DUE"])?.value ?? ""
    let name = start + " " + (component["SUMMARY"]?.value ?? "")
    defer { untitled[name, default: 0] += 1 }
    return .title(name, ordinal: untitled[name, default: 0])
  }

  private mutating func makeHabits(in stored: StoredHabits) throws {
    var events: [CalendarHabit] = []
    for one in series where !refused.contains(one.key) {
      if let event = one.events.first, stored.haveExported(event) {
        exportedCount += 1
        continue
      }
      do {
        guard let event = try CalendarHabit(one, from: Self.name, zones, &ignored) else {
          continue
        }
        events.append(event)
      } catch let loss as CalendarLoss {
        ignored.add(loss.reason, at: loss.place)
      }
    }
    let groups = CalendarGroups(events, from: Self.name, in: stored)
    (habits, days) = (groups.habits, groups.days)
    (overflowCount, deleted) = (groups.overflowCount, groups.deleted)
  }
}
