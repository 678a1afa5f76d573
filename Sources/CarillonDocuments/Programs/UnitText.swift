internal import CarillonModel

/// Elapsed time: a number and a unit, or several, the larger first, such as `1h30m` or `2 weeks`.
package struct UnitText {
  package let seconds: Int
  /// The part of the seconds that was written in days and weeks.
  package let days: Int

  private static let units: [(names: [String], seconds: Int)] = [
    (["w", "week", "weeks"], 604_800), (["d", "day", "days"], 86_400),
    (["h", "hour", "hours", "hr", "hrs"], 3_600),
    (["m", "min", "mins", "minute", "minutes"], 60),
    (["s", "sec", "secs", "second", "seconds"], 1),
  ]

  /// Parses a text; nil if it has another form or is far out of range.
  package init?(_ argument: String) {
    guard argument.utf8.count <= 40 else { return nil }
    var rest = argument.lowercased()[...]
    var (sum, days, units) = (0, 0, Self.units[...])
    repeat {
      let digits = rest.prefix(while: \.isNumber)
      rest = rest[digits.endIndex...].drop { $0 == " " }
      let word = rest.prefix(while: \.isLetter)
      rest = rest[word.endIndex...].drop { $0 == " " }
      guard let count = Int(digits: digits),
        let index = units.firstIndex(where: { $0.names.contains(String(word)) })
      else { return nil }
      let (product, isOver) = count.multipliedReportingOverflow(by: units[index].seconds)
      let (total, isFurther) = sum.addingReportingOverflow(product)
      guard !isOver, !isFurther else { return nil }
      if units[index].seconds.isMultiple(of: 86_400) { days = total / 86_400 }
      (sum, units) = (total, units[(index + 1)...])
    } while !rest.isEmpty
    (seconds, self.days) = (sum, days)
  }
}

extension UnitText {
  /// What is wrong with a text that is no elapsed time.
  package static func problem(_ argument: String) -> String {
    let minutes = Int(digits: argument).flatMap { (1...525_600).contains($0) ? $0 : nil }
    let unit = minutes.map { "; for minutes write \($0)m" } ?? ""
    return "\"\(argument)\" is not a duration such as 15m\(unit)"
  }

  /// Reads the value of an option that takes a range of durations.
  ///
  /// - Parameters:
  ///   - name: The name of the option.
  ///   - range: The seconds that are allowed.
  ///   - example: A usual value.
  /// - Throws: A usage error.
  package static func read<Failure: ProgramFailure>(
    _ text: String, for name: String, in range: ClosedRange<Int>, such example: String,
    or _: Failure.Type
  ) throws(Failure) -> UnitText {
    let most = range.upperBound.shortDuration
    let limit = "\(range.lowerBound.shortDuration) to \(most)"
    guard let read = UnitText(text) else {
      throw .badValue(
        "\(name): \(problem(text))",
        hint: "give a duration from \(limit), such as \(example) or \(most); "
          + "see carillon help times")
    }
    guard range.contains(read.seconds) else {
      throw .badValue(
        "\(name): \(text) is out of range; \(limit) is allowed",
        hint: "give a duration such as \(example)")
    }
    return read
  }
}
