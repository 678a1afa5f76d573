import ArgumentParser
import CarillonDocuments

/// The text of an option, parsed when the verb runs.
///
/// A malformed value, such as `--on 2026-02-30`, is a usage error (exit 64), as a wrong flag is.
/// The message names the option, the value and the expected form.
struct Given<Value: ArgumentValue>: ExpressibleByArgument {
  let text: String

  init(argument: String) {
    text = argument
  }

  var defaultValueDescription: String { text }

  static var defaultCompletionKind: CompletionKind {
    Value.names.isEmpty ? .default : .list(Value.names)
  }

  /// Parses the value.
  ///
  /// - Parameter name: The name of the option or argument, for messages.
  /// - Throws: A usage error.
  func value(for name: String) throws(CommandFailure) -> Value {
    do {
      return try Value(argument: text)
    } catch {
      throw .badValue("\(name): \(error.message)", hint: "give \(Value.form)")
    }
  }
}

/// A value that can be parsed from one argument.
protocol ArgumentValue {
  /// The form of the argument, for hints, such as `a date YYYY-MM-DD`.
  static var form: String { get }
  /// The names that a shell offers as completions if the value is one or a list of them, else none.
  static var names: [String] { get }
  init(argument: String) throws(ArgumentProblem)
}

extension ArgumentValue {
  static var names: [String] { [] }
}

/// The reason why an argument's text cannot be parsed.
struct ArgumentProblem: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

extension Optional {
  /// The value of an option, or nil if the option was not given.
  func value<Value>(
    for name: String
  ) throws(CommandFailure) -> Value? where Wrapped == Given<Value> {
    guard let self else { return nil }
    return try self.value(for: name)
  }

  /// The change that an option makes to an optional value: `none` clears it.
  func change<Value>(
    for name: String
  ) throws(CommandFailure) -> Change<Value> where Wrapped == Given<Value> {
    guard let self else { return .keep }
    return self.text == "none" ? .clear : .set(try self.value(for: name))
  }
}

/// The change that an option makes to an optional value.
enum Change<Value> {
  case keep, clear
  case set(Value)

  /// Returns the same change for a part of the value.
  func map<Part>(_ part: (Value) -> Part) -> Change<Part> {
    switch self {
    case .keep: .keep
    case .clear: .clear
    case .set(let value): .set(part(value))
    }
  }

  /// Whether the option was given.
  var isGiven: Bool {
    if case .keep = self { false } else { true }
  }

  /// Applies the change to an optional value.
  func apply(to value: inout Value?) {
    switch self {
    case .keep: break
    case .clear: value = nil
    case .set(let new): value = new
    }
  }

  /// The new value, or nil if there is none.
  var value: Value? {
    if case .set(let value) = self { value } else { nil }
  }
}

extension Change: Sendable where Value: Sendable {}
