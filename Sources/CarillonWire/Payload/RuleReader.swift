internal import CarillonModel

/// Builds rules from the fields of their messages.
///
/// A rule of which anything is not known, be it its number, a field, a bit or a name, is `unknown`:
/// kept as it came, and never planned.
enum RuleReader {
  typealias Bytes = UnsafeRawBufferPointer

  /// The rule of a field number of 32 to 47.
  ///
  /// - Throws: `malformed` for bytes that are no message; `invalidValue` for one that is known and
  ///   lacks a field.
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

  private static func rule(
    of part: (number: UInt32, bytes: [UInt8])
  ) throws(ModelError) -> Rule {
    try part.bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      try rule(part.number, UnsafeRawBufferPointer(bytes))
    }
  }

  private static func dates(_ number: UInt32, _ bytes: Bytes) throws(ModelError) -> Rule? {
    var days: UInt32 = 0
    var date: CivilDate?
    var isKnown = true
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (number, field.number, field.type) {
      case (32, 1, .varint), (34, 2, .varint): date = field.date
      case (33, 1, .varint), (34, 1, .varint): days = field.uint32
      default: isKnown = false
      }
    }
    guard isKnown else { return nil }
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
    var isKnown = true
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): text = try field.text("rule: recurrence")
      default: isKnown = false
      }
    }
    return isKnown ? Recurrence(text).map(Rule.recurrence) : nil
  }

  private static func interval(_ bytes: Bytes) throws(ModelError) -> Rule? {
    var seconds = 0
    var from: Instant?
    var window: (from: Int?, to: Int?) = (nil, nil)
    var isKnown = true
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): seconds = field.integer
      case (2, .varint): from = Instant(milliseconds: field.int64)
      case (3, .varint): window.from = field.integer
      case (4, .varint): window.to = field.integer
      default: isKnown = false
      }
    }
    guard isKnown else { return nil }
    var interval = Interval(seconds: seconds, from: try from.required("rule: from"))
    if window != (nil, nil) {
      let (first, last) = (
        try PayloadReader.time(try window.from.required("window: from")),
        try PayloadReader.time(try window.to.required("window: to"))
      )
      interval.window = try DayWindow(from: first, to: last).required("window: two different times")
    }
    return .interval(interval)
  }

  private static func relative(_ bytes: Bytes) throws(ModelError) -> Rule? {
    var base: (number: UInt32, bytes: [UInt8])?
    var relative = Relative(to: .weekly([]), offsetSeconds: 0)
    var edge = 0
    var isKnown = true
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): relative.durationMinutes = field.integer
      case (2, .varint): edge = field.enumerationNumber
      case (3, .varint): relative.offsetSeconds = field.sint32
      case (4, .varint): relative.repeatCount = field.integer
      case (5, .varint): relative.repeatSeconds = field.integer
      case (32...35, .bytes):
        let isSame = base?.number == field.number
        if !isSame, let base {
          try PayloadReader.requireMessage { () throws(ModelError) in _ = try rule(of: base) }
        }
        base = (field.number, (isSame ? base?.bytes ?? [] : []) + field.bytes)
      default: isKnown = false
      }
    }
    guard isKnown, let edge = Relative.Edge(wireNumber: edge) else {
      if let base {
        try PayloadReader.requireMessage { () throws(ModelError) in _ = try rule(of: base) }
      }
      return nil
    }
    relative.edge = edge
    relative.base = try rule(of: base.required("rule: base"))
    if case .unknown = relative.base { return nil }
    return .relative(relative)
  }

  private static func place(_ bytes: Bytes) throws(ModelError) -> Rule? {
    var point: (latitude: Int?, longitude: Int?) = (nil, nil)
    var (radius, crossing) = (0, 0)
    var isKnown = true
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): point.latitude = field.sint32
      case (2, .varint): point.longitude = field.sint32
      case (3, .varint): radius = field.integer
      case (4, .varint): crossing = field.enumerationNumber
      default: isKnown = false
      }
    }
    guard isKnown, let crossing = Region.Crossing(wireNumber: crossing) else { return nil }
    return .place(
      Region(
        latitude: Int32(truncatingIfNeeded: try point.latitude.required("latitude")),
        longitude: Int32(truncatingIfNeeded: try point.longitude.required("longitude")),
        radius: radius, crossing: crossing))
  }
}
