extension Int {
  /// A number of seconds in the largest unit that needs no fraction: `2 h`, `90 s`, `1 day`.
  var duration: String {
    if self > 0, self % 86_400 == 0 { return (self / 86_400).counted("day") }
    for (unit, size) in [("h", 3_600), ("min", 60)] where self > 0 && self % size == 0 {
      return "\(self / size) \(unit)"
    }
    return "\(self) s"
  }

  /// A number of seconds as it is entered, in the largest unit that needs no fraction: `15m`.
  package var shortDuration: String {
    for (unit, size) in [("d", 86_400), ("h", 3_600), ("m", 60)] where self > 0 && self % size == 0
    {
      return "\(self / size)\(unit)"
    }
    return "\(self)s"
  }
}
