import Carillon
import CarillonModel

/// A VALARM that displays a notification or plays a sound.
struct CalendarAlarm: Hashable {
  /// When the alarm fires.
  enum Trigger: Hashable {
    case relative(seconds: Int, Schedule.Relative.Edge)
    /// In UTC, or as written.
    case at(CalendarTime)
    case place(Schedule.Region)
  }

  let trigger: Trigger
  var repeatCount = 0
  var repeatSeconds = 0
  /// The text, if it says more than the title.
  var body: String?
  var sound: String?

  /// Default texts that calendars write for an alarm without a text.
  private static let idleTexts: Set = [
    "", "This is an event reminder", "Event reminder", "Reminder", "Alarm",
    "Default Mozilla Description",
  ]

  /// Reads an alarm of an event.
  ///
  /// - Returns: Nil if the component says that there is no alarm.
  /// - Throws: `CalendarLoss` if the alarm cannot be imported.
  init?(
    _ component: ICalendarComponent, title: String, _ reader: ICalendarReader,
    _ zones: CalendarZones
  ) throws {
    let action = component["ACTION"]?.value.uppercased() ?? "DISPLAY"
    if action == "NONE" { return nil }
    guard ["DISPLAY", "AUDIO"].contains(action) else {
      throw CalendarLoss(
        .alarms, component.line, "an alarm with ACTION \(ICalendarLine.excerpt(action))")
    }
    if let proximity = component["X-APPLE-PROXIMITY"] ?? component["PROXIMITY"] {
      trigger = .place(try Self.region(component, proximity))
    } else {
      trigger = try Self.trigger(component, reader, zones)
    }
    let text = component["DESCRIPTION"]?.value.calendarText ?? ""
    if !Self.idleTexts.contains(text), text != title { body = text.cut(toBytes: 1_000) }
    // A sound that is embedded in the file, or stored on another machine, is not used.
    if action == "AUDIO", let name = component["ATTACH"]?.value, name.utf8.count <= 200,
      component["ATTACH"]?["ENCODING"] == nil, !name.contains("/"), !name.contains(":")
    {
      sound = name.isEmpty ? nil : name
    }
    try setRepeats(component, reader)
  }

  // MARK: - Parts

  private mutating func setRepeats(
    _ component: ICalendarComponent, _ reader: ICalendarReader
  ) throws {
    guard let line = component["REPEAT"] else { return }
    guard let count = Int(digits: line.value) else {
      throw reader.problem("REPEAT: is not a number", on: line.number)
    }
    guard count > 0, let duration = component["DURATION"] else { return }
    let seconds = try reader.seconds(duration.value, of: duration)
    guard count <= Schedule.Relative.maxRepeats, Limit.repeatSeconds.contains(seconds) else {
      throw CalendarLoss(
        .alarms, line.number, "an alarm that repeats \(count) times, every \(seconds) s")
    }
    (repeatCount, repeatSeconds) = (count, seconds)
  }

  private static func trigger(
    _ component: ICalendarComponent, _ reader: ICalendarReader, _ zones: CalendarZones
  ) throws -> Trigger {
    guard let line = component["TRIGGER"] else {
      throw CalendarLoss(.alarms, component.line, "an alarm without TRIGGER")
    }
    guard line["VALUE"]?.uppercased() != "DATE-TIME" else {
      let time = try reader.time(of: line, in: zones)
      guard CivilDate.accepted.contains(time.moment.date) else {
        throw CalendarLoss(.alarms, line.number, "an alarm on \(time.moment.date)")
      }
      return .at(time)
    }
    let seconds = try reader.seconds(line.value, of: line)
    guard abs(seconds) <= Limit.seconds.upperBound else {
      throw CalendarLoss(.alarms, line.number, "an alarm \(seconds) s from its event")
    }
    return .relative(seconds: seconds, line["RELATED"]?.uppercased() == "END" ? .end : .start)
  }

  /// Returns the place of an alarm of Apple's calendar: arriving or leaving, and a location with a
  /// radius.
  private static func region(
    _ component: ICalendarComponent, _ proximity: ICalendarLine
  ) throws -> Schedule.Region {
    let crossings: [String: Schedule.Region.Crossing] = ["ARRIVE": .entry, "DEPART": .exit]
    let location = component["X-APPLE-STRUCTURED-LOCATION"]
    guard let crossing = crossings[proximity.value.uppercased()],
      let text = location?.value, text.lowercased().hasPrefix("geo:")
    else {
      throw CalendarLoss(
        .alarms, proximity.number,
        "an alarm by \(proximity.name) \(ICalendarLine.excerpt(proximity.value)) without geo:")
    }
    let numbers = text.dropFirst(4).prefix { $0 != ";" }.split(separator: ",").prefix(2)
      .compactMap { Double($0) }
    guard numbers.count == 2, abs(numbers[0]) <= 90, abs(numbers[1]) <= 180 else {
      throw CalendarLoss(.alarms, proximity.number, "an alarm at \(ICalendarLine.excerpt(text))")
    }
    let radius = location?["X-APPLE-RADIUS"].flatMap(Double.init) ?? 100
    return Schedule.Region(
      latitude: Int32((numbers[0] * 1_000_000).rounded()),
      longitude: Int32((numbers[1] * 1_000_000).rounded()),
      radius: radius.isFinite ? Int(min(max(radius.rounded(), 1), 100_000)) : 100,
      crossing: crossing)
  }
}
