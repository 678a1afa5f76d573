extension Slot {
  /// Checks every limit of the slot.
  ///
  /// - Throws: `invalidValue` naming the field and the limit.
  public func validate() throws(ModelError) {
    try Limit.count(times.count, 0...Self.maxTimes, "at: times")
    try rule.validate()
    if case .fixed(let zone) = zone {
      try Limit.text(zone, 1...64, "zone")
      if let named = rule.zone, named != zone {
        throw .invalid("zone", "\(zone) is not \(named), which the recurrence names; leave one out")
      }
    }
    if let doneWithinSeconds {
      try Limit.count(doneWithinSeconds, 60...31_536_000, "doneWithin: seconds")
    }
    try Limit.count(stopAfterDays ?? 0, 0...3_650, "stopAfter: days")
    try Limit.text(thread, 0...200, "thread")
    try Limit.text(content.title, 0...200, "title")
    try Limit.text(content.body, 0...1_000, "body")
    try Limit.text(content.sound, 0...200, "sound")
    try Limit.count(content.data.count, 0...16, "data: keys")
    try Limit.count(
      content.data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }, 0...2_000,
      "data: bytes")
  }
}

extension Rule {
  /// The zone that a recurrence names, also one to which another rule is relative.
  fileprivate var zone: String? {
    switch self {
    case .recurrence(let recurrence): recurrence.zone
    case .relative(let relative): relative.base.zone
    case .once, .weekly, .everyDays, .interval, .place, .unknown: nil
    }
  }

  fileprivate func validate() throws(ModelError) {
    switch self {
    case .once(let date):
      try Limit.date(date, "once")
    case .weekly(let days):
      guard !days.isEmpty else { throw .invalid("on", "names no weekday; name at least one") }
    case .everyDays(let days, let anchor):
      try Limit.count(days, 1...3_650, "every: days")
      try Limit.date(anchor, "from")
    case .interval(let interval):
      try Limit.count(interval.seconds, 60...31_536_000, "interval: seconds")
      try Limit.instant(interval.from, "from")
    case .relative(let relative): try relative.validate()
    case .place(let place): try place.validate()
    case .recurrence, .unknown: break
    }
  }
}

extension Relative {
  fileprivate func validate() throws(ModelError) {
    switch base {
    case .once, .weekly, .everyDays, .recurrence: try base.validate()
    case .interval, .relative, .place, .unknown:
      throw .invalid("base", "must be a rule of dates: once, weekly, everyDays or a recurrence")
    }
    try Limit.count(durationMinutes, 0...44_640, "duration: minutes")
    try Limit.count(offsetSeconds, -31_536_000...31_536_000, "offset: seconds")
    try Limit.count(repeatCount, 0...Self.maxRepeats, "repeats")
    try Limit.count(
      repeatSeconds, repeatCount == 0 ? 0...0 : 60...86_400, "repeats: seconds between them")
  }
}

extension Region {
  fileprivate func validate() throws(ModelError) {
    try Limit.count(Int(latitude), -90_000_000...90_000_000, "latitude: millionths of a degree")
    try Limit.count(Int(longitude), -180_000_000...180_000_000, "longitude: millionths of a degree")
    try Limit.count(radius, 1...100_000, "radius: metres")
  }
}
