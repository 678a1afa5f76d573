import Carillon
import CarillonModel

/// A value that parses its own text without giving a reason for a failure.
protocol TextValue: ArgumentValue, LosslessStringConvertible {}

extension TextValue {
  init(argument: String) throws(ArgumentProblem) {
    guard let value = Self(argument) else {
      throw ArgumentProblem("\"\(argument)\" is malformed or out of range")
    }
    self = value
  }
}

extension DayWindow: TextValue {
  static var form: String { "two different times, such as 08:00-20:00" }
}

extension Quota: TextValue {
  static var form: String {
    "N/day, N/week, N/month or N/Dd, such as 3/week; N is 1 to 1000, and D is 1 to 366"
  }
}

/// A value with a fixed set of names.
protocol NamedValue: ArgumentValue, CaseIterable, RawRepresentable<String> {}

extension NamedValue {
  static var names: [String] { allCases.map(\.rawValue) }
  static var form: String { "one of " + names.joined(separator: ", ") }

  init(argument: String) throws(ArgumentProblem) {
    guard let value = Self(rawValue: argument) else {
      throw ArgumentProblem("unknown value \"\(argument)\"")
    }
    self = value
  }
}

extension QuietPolicy: NamedValue {}
extension InterruptionLevel: NamedValue {}
extension Schedule.Relative.Edge: NamedValue {}
extension SettingName: NamedValue {}
extension Habit.Owner: NamedValue {}
extension Device.Role: NamedValue {}
extension Store.Storage: NamedValue {}

/// A comma-separated list of option names.
struct OptionList<Options: NamedOptions>: ArgumentValue {
  let options: Options

  static var names: [String] { Options.named.map(\.name) }
  static var form: String { "one or more of \(names.joined(separator: ",")), separated by commas" }

  init(argument: String) throws(ArgumentProblem) {
    var options: Options = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let option = Options(name: part) else {
        throw ArgumentProblem("unknown value \"\(part)\"")
      }
      options.formUnion(option)
    }
    self.options = options
  }
}
