internal import CarillonModel

/// The members of a rule in JSON: an object, one member of which says which rule it is.
enum RuleForm {
  static func fields(_ rule: inout Rule, _ form: inout JSONForm) throws(ModelError) {
    switch try name(rule, form) {
    case .once: try once(&rule, &form)
    case .weekly: try weekly(&rule, &form)
    case .everyDays: try everyDays(&rule, &form)
    case .recurrence: try recurrence(&rule, &form)
    case .interval: try interval(&rule, &form)
    case .relative: try relative(&rule, &form)
    case .place: try place(&rule, &form)
    case .unknown: try unknown(&rule, &form)
    }
  }

  /// Which rule it is: while reading by the object's members, else by the rule.
  private static func name(_ rule: Rule, _ form: JSONForm) throws(ModelError) -> RuleName {
    guard form.isReading else { return RuleName(rule) }
    let names = RuleName.allCases.filter { form.object[$0.rawValue] != nil }
    guard let name = names.first, names.count == 1 else {
      throw .invalid(
        "rule", "needs exactly one of \(RuleName.listed), such as \(RuleName.examples)")
    }
    return name
  }

  private static func once(_ rule: inout Rule, _ form: inout JSONForm) throws(ModelError) {
    var date = CivilDate(rawValue: 0)
    if case .once(let known) = rule { date = known }
    try form.required("once", &date)
    rule = .once(date)
  }

  private static func weekly(_ rule: inout Rule, _ form: inout JSONForm) throws(ModelError) {
    var days: [Weekday] = []
    if case .weekly(let known) = rule { days = known.sorted() }
    try form.required("weekly", &days)
    rule = .weekly(Set(days))
  }

  private static func everyDays(_ rule: inout Rule, _ form: inout JSONForm) throws(ModelError) {
    var (days, anchor) = (0, CivilDate(rawValue: 0))
    if case .everyDays(let knownDays, let known) = rule { (days, anchor) = (knownDays, known) }
    try form.required("everyDays", &days)
    try form.required("from", &anchor)
    rule = .everyDays(days, from: anchor)
  }

  private static func recurrence(_ rule: inout Rule, _ form: inout JSONForm) throws(ModelError) {
    var text = ""
    if case .recurrence(let known) = rule { text = known.description }
    try form.required("recurrence", &text)
    guard form.isReading else { return }
    rule = .recurrence(try Recurrence(parsing: text))
  }

  private static func interval(_ rule: inout Rule, _ form: inout JSONForm) throws(ModelError) {
    var interval = Interval(seconds: 0, from: Instant(milliseconds: 0))
    if case .interval(let known) = rule { interval = known }
    try form.required("interval", &interval.seconds)
    try form.required("from", &interval.from)
    try form.optional("window", &interval.window)
    rule = .interval(interval)
  }

  private static func relative(_ rule: inout Rule, _ form: inout JSONForm) throws(ModelError) {
    var relative = Relative(to: .weekly([]), offsetSeconds: 0)
    if case .relative(let known) = rule { relative = known }
    try form.object("relative", &relative) { relative, form throws(ModelError) in
      // What is relative to something relative is refused when the rule is validated.
      try form.object("base", &relative.base, fields)
      try form.defaulted("edge", &relative.edge, .start)
      try form.required("offsetSeconds", &relative.offsetSeconds)
      try form.defaulted("durationMinutes", &relative.durationMinutes, 0)
      try form.defaulted("repeatCount", &relative.repeatCount, 0)
      try form.defaulted("repeatSeconds", &relative.repeatSeconds, 0)
    }
    rule = .relative(relative)
  }

  private static func place(_ rule: inout Rule, _ form: inout JSONForm) throws(ModelError) {
    var place = Region(latitude: 0, longitude: 0, radius: 0)
    if case .place(let known) = rule { place = known }
    try form.object("place", &place) { place, form throws(ModelError) in
      try form.required("latitude", &place.latitude)
      try form.required("longitude", &place.longitude)
      try form.required("radius", &place.radius)
      try form.defaulted("crossing", &place.crossing, .entry)
    }
    rule = .place(place)
  }

  private static func unknown(_ rule: inout Rule, _ form: inout JSONForm) throws(ModelError) {
    var (number, bytes) = (0, JSONBytes([]))
    if case .unknown(let known, let content) = rule {
      (number, bytes) = (Int(known), JSONBytes(content))
    }
    try form.required("unknown", &number)
    try form.required("bytes", &bytes)
    guard let number = UInt32(exactly: number) else {
      throw .invalid("unknown", "must be the number of a rule, 32 to 47")
    }
    rule = .unknown(number: number, bytes: bytes.bytes)
  }
}

/// The member that says which rule it is.
private enum RuleName: String, CaseIterable {
  case once, weekly, everyDays, recurrence, interval, relative, place, unknown

  init(_ rule: Rule) {
    self =
      switch rule {
      case .once: .once
      case .weekly: .weekly
      case .everyDays: .everyDays
      case .recurrence: .recurrence
      case .interval: .interval
      case .relative: .relative
      case .place: .place
      case .unknown: .unknown
      }
  }

  static var listed: String { allCases.map(\.rawValue).joined(separator: ", ") }

  static let examples =
    #"{"once":"2026-12-24"}, {"weekly":["mon","fri"]} or {"everyDays":3,"from":"2026-11-23"}"#
}

extension DayWindow: JSONConvertible {
  static var allowed: String { "two different times such as 08:00-20:00" }
}

extension Quota: JSONConvertible {
  static var allowed: String { "text such as 3/week, 1/day, 10/month or 3/5d" }
}

extension QuietPolicy: JSONNamed {}
extension InterruptionLevel: JSONNamed {}
extension Relative.Edge: JSONNamed {}
extension Region.Crossing: JSONNamed {}
