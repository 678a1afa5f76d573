import Carillon
import Foundation

extension String: ArgumentValue {
  static var form: String { "text" }

  init(argument: String) {
    self = argument
  }
}

extension Int: ArgumentValue {
  static var form: String { "a whole number" }

  init(argument: String) throws(ArgumentProblem) {
    guard let number = Int(argument) else {
      throw ArgumentProblem("\"\(argument)\" is not a whole number")
    }
    self = number
  }
}

/// An amount is written as a decimal with at most three decimal places.
extension Amount: ArgumentValue {
  static let form = "a number from 0 to 1000000000 with at most three decimal places"
  private static let greatest: Int64 = 1_000_000_000_000

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
    let isDecimal =
      (1...2).contains(parts.count)
      && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard isDecimal, let whole = Int64(parts[0]) else {
      let point = argument.replacingOccurrences(of: ",", with: ".")
      if point != argument, (try? Amount(argument: point)) != nil {
        let whole = argument.replacingOccurrences(of: ",", with: "")
        let isGrouped = argument.wholeMatch(of: /[0-9]{1,3}(,[0-9]{3})+/) != nil
        throw ArgumentProblem(
          "\"\(argument)\" has a comma; write \(point)" + (isGrouped ? " or \(whole)" : ""))
      }
      throw ArgumentProblem("\"\(argument)\" is not a number of at least 0")
    }
    let fraction = parts.count == 2 ? String(parts[1]) : ""
    guard fraction.utf8.count <= 3 else {
      throw ArgumentProblem("\"\(argument)\" has more than three decimal places")
    }
    let padded = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
    let (product, overflow) = whole.multipliedReportingOverflow(by: 1000)
    guard !overflow, let rest = Int64(padded), product <= Self.greatest - rest else {
      throw ArgumentProblem("\(argument) is out of range; at most 1000000000 is allowed")
    }
    self.init(thousandths: product + rest)
  }
}

/// A time zone, by its name in the IANA database.
struct ZoneName: ArgumentValue {
  let zone: TimeZone
  /// Foundation's name of the zone, except that `UTC` stays as given.
  let name: String

  static let form = "the IANA name of a time zone, such as Europe/Berlin"

  init(argument: String) throws(ArgumentProblem) {
    guard let zone = TimeZone(identifier: argument) else {
      throw ArgumentProblem("\"\(argument)\" is not a time zone")
    }
    self.zone = zone
    name = argument == "UTC" ? argument : zone.identifier
  }
}

/// One `KEY=VALUE` pair.
struct DataItem: ArgumentValue {
  let key: String
  let value: String

  static let form = "KEY=VALUE; at most 16 keys, and 2000 bytes in total"

  init(argument: String) throws(ArgumentProblem) {
    guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
      throw ArgumentProblem("\"\(argument)\" is not KEY=VALUE")
    }
    key = String(argument[..<equals])
    value = String(argument[argument.index(after: equals)...])
  }
}
