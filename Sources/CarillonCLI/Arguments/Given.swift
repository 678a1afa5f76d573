import ArgumentParser

/// The text given for an option whose value is taken later.
///
/// A wrong flag is a mistake in usage (exit 64); a value that is not of its form, such as
/// `--on 2026-02-30`, is bad data (exit 65), and the error names the option and what it takes.
struct Given<Value: ArgumentValue>: ExpressibleByArgument {
  let text: String

  init(argument: String) {
    text = argument
  }

  var defaultValueDescription: String { text }

  static var defaultCompletionKind: CompletionKind {
    Value.names.isEmpty ? .default : .list(Value.names)
  }

  /// The value, for the option or argument of a name.
  func value(for name: String) throws(CommandFailure) -> Value {
    do {
      return try Value(argument: text)
    } catch {
      throw .badData("\(name): \(error.message)", hint: "give \(Value.form)")
    }
  }
}

/// A value that is written as one argument.
protocol ArgumentValue {
  /// What the argument looks like, for hints: `a date YYYY-MM-DD`.
  static var form: String { get }
  /// The names that a shell offers where the value is, or lists, some of these; else none.
  static var names: [String] { get }
  init(argument: String) throws(ArgumentProblem)
}

extension ArgumentValue {
  static var names: [String] { [] }
}

/// What is wrong with an argument's text.
struct ArgumentProblem: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

extension Optional {
  /// The value of an option that was given, or nil.
  func value<Value>(
    for name: String
  ) throws(CommandFailure) -> Value? where Wrapped == Given<Value> {
    guard let self else { return nil }
    return try self.value(for: name)
  }

  /// What an option does to a value that may be absent: `none` clears it.
  func change<Value>(
    for name: String
  ) throws(CommandFailure) -> Change<Value> where Wrapped == Given<Value> {
    guard let self else { return .keep }
    return self.text == "none" ? .clear : .set(try self.value(for: name))
  }
}

/// What an option does to a value that may be absent.
enum Change<Value> {
  case keep, clear
  case set(Value)

  /// The same change of a part of the value.
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

  /// Changes a value that may be absent.
  func apply(to value: inout Value?) {
    switch self {
    case .keep: break
    case .clear: value = nil
    case .set(let new): value = new
    }
  }

  /// The value that was given, or nil.
  var value: Value? {
    if case .set(let value) = self { value } else { nil }
  }
}

extension Change: Sendable where Value: Sendable {}
