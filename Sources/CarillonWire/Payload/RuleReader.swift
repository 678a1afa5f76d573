internal import CarillonModel

/// Builds rules from the fields of their messages.
///
/// A rule of which anything is not known, be it its number, a field, a bit or a name, is `unknown`:
/// kept as it came, and never planned.
enum RuleReader {
  typealias Bytes = UnsafeRawBufferPointer

  /// The rule of a field number of 32 to 47.
  ///
  /// - Throws: `malformed` for bytes that are no message, and for one that lacks a field.
  static func rule(_ number: UInt32, _ bytes: Bytes) throws(ModelError) -> Rule {
    let known: Rule? =
      switch number {
      case 32...34: try dates(number, bytes)
      case 35: try recurrence(bytes)
      case 36: try interval(bytes)
      case 37: try relative(bytes)
      case 38: try place(bytes)
      default: nil
      }
    return known ?? .unknown(number: number, bytes: [UInt8](bytes))
  }

  private static func dates(_ number: UInt32, _ bytes: Bytes) throws(ModelError) -> Rule? {
    var days: UInt32 = 0
    var date: CivilDate?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (number, field.number, field.type) {
      case (32, 1, .varint), (34, 2, .varint): date = field.date
      case (33, 1, .varint), (34, 1, .varint): days = field.uint32
      default: return nil
      }
    }
    switch number {
    case 32: return .once(try date.required("rule: date"))
    case 33:
      guard days < 128 else { return nil }
      return .weekly(Set(Weekday.allCases.filter { days & $0.bit != 0 }))
    default: return .everyDays(Int(days), from: try date.required("rule: from"))
    }
  }

  /// Lines with a part that this build does not know are a rule that it does not know.
  private static func recurrence(_ bytes: Bytes) throws(ModelError) -> Rule? {
    var text = ""
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      guard field.number == 1, field.type == .bytes else { return nil }
      text = try field.text("rule: recurrence")
    }
    return Recurrence(text).map(Rule.recurrence)
  }

  private static func interval(_ bytes: Bytes) throws(ModelError) -> Rule? {
    var seconds = 0
    var from: Instant?
    var window: (from: TimeOfDay?, to: TimeOfDay?) = (nil, nil)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): seconds = field.integer
      case (2, .varint): from = Instant(milliseconds: field.int64)
      case (3, .varint): window.from = try PayloadReader.time(field.integer)
      case (4, .varint): window.to = try PayloadReader.time(field.integer)
      default: return nil
      }
    }
    var interval = Interval(seconds: seconds, from: try from.required("rule: from"))
    if window != (nil, nil) {
      let (first, last) = (
        try window.from.required("window: from"), try window.to.required("window: to")
      )
      interval.window = try DayWindow(from: first, to: last).required("window: two different times")
    }
    return .interval(interval)
  }

  private static func relative(_ bytes: Bytes) throws(ModelError) -> Rule? {
    var base: (number: UInt32, bytes: [UInt8])?
    var relative = Relative(to: .weekly([]), offsetSeconds: 0)
    var edge = 0
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): relative.durationMinutes = field.integer
      case (2, .varint): edge = field.enumerationNumber
      case (3, .varint): relative.offsetSeconds = field.sint32
      case (4, .varint): relative.repeatCount = field.integer
      case (5, .varint): relative.repeatSeconds = field.integer
      case (32...35, .bytes):
        let start = base?.number == field.number ? base?.bytes ?? [] : []
        base = (field.number, start + field.bytes)
      default: return nil
      }
    }
    guard let edge = Relative.Edge(wireNumber: edge) else { return nil }
    relative.edge = edge
    let (number, content) = try base.required("rule: base")
    relative.base = try content.withUnsafeBufferPointer { content throws(ModelError) in
      try rule(number, UnsafeRawBufferPointer(content))
    }
    if case .unknown = relative.base { return nil }
    return .relative(relative)
  }

  private static func place(_ bytes: Bytes) throws(ModelError) -> Rule? {
    var point: (latitude: Int?, longitude: Int?) = (nil, nil)
    var (radius, crossing) = (0, 0)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): point.latitude = field.sint32
      case (2, .varint): point.longitude = field.sint32
      case (3, .varint): radius = field.integer
      case (4, .varint): crossing = field.enumerationNumber
      default: return nil
      }
    }
    guard let crossing = Region.Crossing(wireNumber: crossing) else { return nil }
    return .place(
      Region(
        latitude: Int32(truncatingIfNeeded: try point.latitude.required("latitude")),
        longitude: Int32(truncatingIfNeeded: try point.longitude.required("longitude")),
        radius: radius, crossing: crossing))
  }
}
