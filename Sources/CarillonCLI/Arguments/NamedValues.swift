import Carillon

/// A value that reads its own text, and says no more than whether it can.
protocol TextValue: ArgumentValue, LosslessStringConvertible {}

extension TextValue {
  init(argument: String) throws(ArgumentProblem) {
    guard let value = Self(argument) else {
      throw ArgumentProblem("\"\(argument)\" is not of that form, or out of range")
    }
    self = value
  }
}

extension DayWindow: TextValue {
  static var form: String { "two different times such as 08:00-20:00" }
}

extension Quota: TextValue {
  static var form: String {
    "N/day, N/week, N/month or N/Dd, such as 3/week, N up to 1000, D to 366"
  }
}

/// A value that is one of some names.
protocol NamedValue: ArgumentValue, CaseIterable, RawRepresentable<String> {}

extension NamedValue {
  static var names: [String] { allCases.map(\.rawValue) }
  static var form: String { "one of " + names.joined(separator: ", ") }

  init(argument: String) throws(ArgumentProblem) {
    guard let value = Self(rawValue: argument) else {
      throw ArgumentProblem("\"\(argument)\" is none of them")
    }
    self = value
  }
}

extension QuietPolicy: NamedValue {}
extension InterruptionLevel: NamedValue {}
extension Relative.Edge: NamedValue {}
extension SettingName: NamedValue {}
extension Habit.Owner: NamedValue {}
extension Device.Role: NamedValue {}

extension Store.Storage: ArgumentValue {
  static var names: [String] { all.map(\.description) }
  static var form: String { "one of " + names.joined(separator: ", ") }

  init(argument: String) throws(ArgumentProblem) {
    guard let value = Self.all.first(where: { $0.description == argument }) else {
      throw ArgumentProblem("\"\(argument)\" is none of them")
    }
    self = value
  }
}

/// Options by their names, with commas between.
struct OptionList<Options: NamedOptions>: ArgumentValue {
  let options: Options

  static var names: [String] { Options.named.map(\.name) }
  static var form: String { "some of \(names.joined(separator: ",")), with commas between" }

  init(argument: String) throws(ArgumentProblem) {
    var options: Options = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let option = Options(name: part) else {
        throw ArgumentProblem("\"\(part)\" is none of them")
      }
      options.formUnion(option)
    }
    self.options = options
  }
}
