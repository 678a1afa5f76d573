#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import Configuration
import Foundation

/// Reads settings from the flags, else from the environment, else from the file, and records where
/// each comes from.
struct SettingReader {
  /// A setting that was read.
  struct Found {
    let name: String
    /// A text, a whole number, or true or false.
    let value: JSON
    let source: String

    /// The value as a flag has it.
    var text: String {
      switch value {
      case .text(let text): text
      case .bool(let isOn): isOn ? "yes" : "no"
      default: value.description
      }
    }
  }

  /// All settings that were read.
  private(set) var found: [Found] = []
  private let sources: [(name: (String) -> String, provider: any ConfigProvider)]
  /// The names in the file that were not read.
  private var unknown: Set<String>
  /// The path of the file; nil for none.
  let file: String?
  /// The hint that shows all settings.
  private let help: String

  /// - Parameters:
  ///   - flags: The values of flags, by name.
  ///   - file: The path of a file with one JSON object; nil for none.
  ///   - command: The command whose help has the settings.
  /// - Throws: ``ServeFailure`` if the file cannot be read.
  init(flags: [String: String], file: String?, of command: String) throws {
    (self.file, help) = (file, "see \(command) --help")
    let values = flags.map { name, value in
      (AbsoluteConfigKey([name]), ConfigValue(.string(value), isSecret: false))
    }
    var sources: [(name: (String) -> String, provider: any ConfigProvider)] = [
      ({ "--\($0)" }, InMemoryProvider(values: Dictionary(uniqueKeysWithValues: values))),
      (Self.variable, EnvironmentVariablesProvider().prefixKeys(with: "carillon")),
    ]
    let members = try file.map(Self.members) ?? []
    unknown = Set(members.map(\.name))
    if let file {
      // Not the provider of files, which takes true for 1.
      let values = try members.map { member in
        (AbsoluteConfigKey([member.name]), try Self.value(of: member, in: file))
      }
      sources.append(
        ({ _ in file }, InMemoryProvider(values: Dictionary(uniqueKeysWithValues: values))))
    }
    self.sources = sources
  }

  /// Returns the text of a setting; nil if it is not set.
  mutating func text(_ name: String) throws -> String? {
    guard let (value, source) = try value(name, [.string], "a text") else { return nil }
    note(name, .text(value.text), source)
    return value.text
  }

  /// Returns the text of a setting, or its default.
  mutating func text(_ name: String, default standard: String) throws -> String {
    if let text = try text(name) { return text }
    note(name, .text(standard), "default")
    return standard
  }

  /// Returns whether a setting is on; without it, it is off.
  mutating func bool(_ name: String) throws -> Bool {
    guard let (value, source) = try value(name, [.string, .bool], "yes or no") else {
      note(name, .bool(false), "default")
      return false
    }
    guard ["yes", "no"].contains(value.text) else {
      throw ServeFailure.usage(
        "\(source): \(name) is \"\(value.text)\"; yes or no is required",
        hint: "leave it out, or set it to yes")
    }
    let isOn = value.text == "yes"
    note(name, .bool(isOn), source)
    return isOn
  }

  /// Returns the number of a setting, or its default.
  mutating func integer(
    _ name: String, default standard: Int, in range: ClosedRange<Int>
  ) throws -> Int {
    // Flags are texts; the other sources convert themselves.
    let flag = try sources[0].provider.value(forKey: AbsoluteConfigKey([name]), type: .string).value
    let given =
      try flag.map { ($0, source: sources[0].name(name)) } ?? value(name, [.int], "a whole number")
    guard let (value, source) = given else {
      note(name, .integer(standard), "default")
      return standard
    }
    let number = try range.number(
      value.text, of: flag == nil ? "\(source): \(name)" : source, hint: help)
    note(name, .integer(number), source)
    return number
  }

  /// The source of a setting that was read.
  func source(of name: String) -> String { found.last { $0.name == name }?.source ?? name }

  /// Whether the file has a URL with a password among the settings that were read.
  var hasPasswordInFile: Bool {
    found.contains { one in
      one.source == file && one.text.contains(/:\/\/[^\/?#]*:[^\/?#]*@|password=/)
    }
  }

  /// Requires that the file has no other settings than those that were read.
  func finish() throws {
    let names = Set(found.map(\.name))
    guard let name = unknown.subtracting(names).min(), let file else { return }
    throw ServeFailure(
      status: .badData, message: "\(file): there is no setting \"\(name)\"",
      hint: "the settings are the long flags without their hyphens; \(help)")
  }

  // MARK: -

  /// Returns the value of the first source that has one, in the first type that it has.
  private func value(
    _ name: String, _ types: [ConfigType], _ kind: String
  ) throws -> (ConfigValue, source: String)? {
    for (index, (source, provider)) in sources.enumerated() {
      // The only error is that the value is of another type.
      let found = types.lazy.compactMap { type in
        try? provider.value(forKey: AbsoluteConfigKey([name]), type: type)
      }.first
      guard let found else {
        throw ServeFailure.usage("\(source(name)): \(name) must be \(kind)", hint: help)
      }
      // An empty variable is as good as none.
      if let value = found.value, index == 0 || value.content != .string("") {
        return (value, source(name))
      }
    }
    return nil
  }

  private mutating func note(_ name: String, _ value: JSON, _ source: String) {
    found.append(Found(name: name, value: value, source: source))
  }

  private static func variable(_ name: String) -> String {
    "CARILLON_" + name.uppercased().replacing("-", with: "_")
  }

  /// Returns the members of a file's object.
  private static func members(of file: String) throws -> [JSONObject.Member] {
    let hint = "give the path of a file that can be read: --config F"
    guard access(file, R_OK) == 0 else { throw ServeFailure.unreadable(file, errno, hint: hint) }
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: file))
    } catch {
      let reason = StoreError(translating: error).message
      throw ServeFailure(status: .notFound, message: reason, hint: hint)
    }
    do {
      guard case .object(let object) = try JSONValue(parsing: data) else {
        throw ModelError.malformed("one JSON object is required")
      }
      return object.members
    } catch {
      throw ServeFailure(
        status: .badData, message: "\(file): \(error)", hint: "correct the file")
    }
  }

  private static func value(of member: JSONObject.Member, in file: String) throws -> ConfigValue {
    let content: ConfigContent
    switch member.value {
    case .text(let text): content = .string(text)
    case .integer(let number): content = .int(Int(number))
    case .bool(let isOn): content = .bool(isOn)
    default:
      throw ServeFailure(
        status: .badData,
        message: "\(file): \(member.name) must not be \(member.value.kindName)",
        hint: "give a text, a whole number, true or false")
    }
    return ConfigValue(content, isSecret: false)
  }
}

extension ClosedRange<Int> {
  /// Reads a number in this range.
  ///
  /// - Parameter name: What has the value.
  /// - Throws: ``ServeFailure``.
  func number(_ text: String, of name: String, hint: String) throws(ServeFailure) -> Int {
    guard let number = Int(text), contains(number) else {
      throw .usage(
        "\(name) is \"\(text)\"; a whole number from \(lowerBound) to \(upperBound) is required",
        hint: hint)
    }
    return number
  }
}

extension ConfigValue {
  /// The value as a flag has it.
  fileprivate var text: String {
    switch content {
    case .string(let text): text
    case .int(let number): "\(number)"
    case .bool(let isOn): isOn ? "yes" : "no"
    default: ""
    }
  }
}
#endif
