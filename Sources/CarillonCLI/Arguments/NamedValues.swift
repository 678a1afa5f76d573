import Carillon
import CarillonModel

/// A value with a fixed set of names, in any case.
protocol NamedValue: ArgumentValue, CaseIterable, RawRepresentable<String> {}

extension NamedValue {
  static var names: [String] { allCases.map(\.rawValue) }
  static var form: String { "one of " + names.joined(separator: ", ") }

  init(argument: String) throws(ArgumentProblem) {
    let word = Self.folded(argument)
    guard let value = Self.allCases.first(where: { Self.folded($0.rawValue) == word }) else {
      throw ArgumentProblem("unknown value \"\(argument)\"")
    }
    self = value
  }

  /// The name in lower case and without hyphens: `quiet-hours` is `quietHours`.
  private static func folded(_ name: String) -> String {
    name.lowercased().replacing("-", with: "")
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
