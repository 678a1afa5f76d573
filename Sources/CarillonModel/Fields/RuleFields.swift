extension Schedule.Rule: FieldChoice {
  package static let alternatives: [(number: Int, name: String, blank: Schedule.Rule)] =
    BaseRule.alternatives.map { ($0.number, $0.name, $0.blank.rule) } + [
      (36, "interval", .interval(Schedule.Interval(seconds: 0, from: Instant(milliseconds: 0)))),
      (37, "relative", .relative(Schedule.Relative(to: .weekly([]), offsetSeconds: 0))),
      (38, "place", .place(Schedule.Region(latitude: 0, longitude: 0, radius: 0))),
    ]

  /// The remaining numbers from 32 to 47, which are all reserved for rules.
  package static let laterNumbers = 39..<48

  package static func unknown(number: Int, bytes: [UInt8]) -> Schedule.Rule? {
    .unknown(number: UInt32(number), bytes: bytes)
  }

  package var unknownAlternative: (number: Int, bytes: [UInt8])? {
    if case .unknown(let number, let bytes) = self { (Int(number), bytes) } else { nil }
  }

  package var alternative: Int {
    switch self {
    case .once: 32
    case .weekly: 33
    case .everyDays: 34
    case .recurrence: 35
    case .interval: 36
    case .relative: 37
    case .place: 38
    case .unknown(let number, _): Int(number)
    }
  }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    switch self {
    case .once(var date):
      try visitor.required(1, "once", &date)
      self = .once(date)
    case .weekly(var days):
      try visitor.required(1, "weekly", &days, 1...127)
      self = .weekly(days)
    case .everyDays(var days, var anchor):
      try visitor.required(1, "everyDays", &days, 1...3_650)
      try visitor.required(2, "from", &anchor)
      self = .everyDays(days, from: anchor)
    case .recurrence(let recurrence):
      var text = recurrence.description
      try visitor.required(1, "recurrence", &text)
      guard visitor.isReading else { return }
      do throws(ModelError) {
        self = .recurrence(try Recurrence(parsing: text))
      } catch {
        visitor.noteUnknown()
        throw error
      }
    case .interval(var interval):
      try interval.visitFields(&visitor)
      self = .interval(interval)
    case .relative(var relative):
      try visitor.visit(object: "relative") { visitor throws(ModelError) in
        try relative.visitFields(&visitor)
      }
      self = .relative(relative)
    case .place(var place):
      try visitor.visit(object: "place") { visitor throws(ModelError) in
        try place.visitFields(&visitor)
      }
      self = .place(place)
    case .unknown: break
    }
  }

  /// The zone of the recurrence, including one to which the rule is relative.
  package var zone: String? {
    switch self {
    case .recurrence(let recurrence): recurrence.zone
    case .relative(let relative): relative.base.zone
    case .once, .weekly, .everyDays, .interval, .place, .unknown: nil
    }
  }

  /// Checks limits that involve several fields.
  func checkRelations() throws(ModelError) {
    if case .interval(let interval) = self, interval.anchor != nil, interval.window != nil {
      throw .invalid("window", "cannot be combined with anchor")
    }
    guard case .relative(let relative) = self else { return }
    guard relative.base.namesDates else {
      throw .invalid("base", "must be a rule of dates: once, weekly, everyDays or a recurrence")
    }
    try Limit.count(
      relative.repeatSeconds, relative.repeatCount == 0 ? 0...0 : Limit.repeatSeconds,
      "repeats: seconds between them")
  }
}

/// A rule of dates, to which another rule can be relative.
private struct BaseRule: FieldChoice {
  var rule: Schedule.Rule

  static let alternatives: [(number: Int, name: String, blank: BaseRule)] = [
    (32, "once", BaseRule(rule: .once(.zero))),
    (33, "weekly", BaseRule(rule: .weekly([]))),
    (34, "everyDays", BaseRule(rule: .everyDays(0, from: .zero))),
    (35, "recurrence", BaseRule(rule: .recurrence(.blank))),
  ]

  var alternative: Int { rule.alternative }

  mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try rule.visitFields(&visitor)
  }
}

extension Schedule.Interval {
  fileprivate mutating func visitFields(
    _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    try visitor.required(1, "interval", &seconds, Limit.seconds)
    try visitor.required(2, "from", &from)
    if visitor.hasTexts {
      try visitor.text("window", &window, such: Self.exampleWindow)
    } else {
      try visitWindow(&visitor)
    }
    try visitor.optional(5, "anchor", &anchor)
  }

  // The times differ.
  // swift-format-ignore: NeverForceUnwrap
  private static let exampleWindow = DayWindow(from: .midnight, to: TimeOfDay(minute: 420)!)!

  private mutating func visitWindow(
    _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var (opening, closing) = (window?.from, window?.to)
    try visitor.optional(3, "windowFrom", &opening)
    try visitor.optional(4, "windowTo", &closing)
    guard visitor.isReading else { return }
    switch (opening, closing) {
    case (nil, nil): window = nil
    case (let opening?, let closing?):
      guard let window = DayWindow(from: opening, to: closing) else {
        throw .invalid("windowTo", "must differ from windowFrom")
      }
      self.window = window
    default: throw .invalid("windowFrom", "windowFrom and windowTo must both be given")
    }
  }
}

extension Schedule.Relative {
  fileprivate mutating func visitFields(
    _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    var base = BaseRule(rule: base)
    try visitor.visit("base", choice: &base, form: .object)
    self.base = base.rule
    try visitor.defaulted(2, "edge", &edge, .start)
    let most = Limit.seconds.upperBound
    try visitor.defaulted(
      3, "offsetSeconds", &offsetSeconds, 0, -most...most, as: .sint32, isNamed: true)
    try visitor.defaulted(1, "durationMinutes", &durationMinutes, 0, 0...44_640)
    try visitor.defaulted(4, "repeatCount", &repeatCount, 0, 0...Int64(Self.maxRepeats))
    try visitor.defaulted(
      5, "repeatSeconds", &repeatSeconds, 0, 0...Int64(Limit.repeatSeconds.upperBound))
  }
}

extension Schedule.Region {
  fileprivate mutating func visitFields(
    _ visitor: inout some FieldVisitor
  ) throws(ModelError) {
    try visitor.required(1, "latitude", &latitude, -90_000_000...90_000_000)
    try visitor.required(2, "longitude", &longitude, -180_000_000...180_000_000)
    try visitor.required(3, "radius", &radius, 1...100_000)
    try visitor.defaulted(4, "crossing", &crossing, .entry)
  }
}

extension Recurrence {
  /// The initial value for reading.
  fileprivate static let blank = Recurrence(
    start: .date(.zero), zone: nil, rules: [], additions: [], exceptions: [])
}
