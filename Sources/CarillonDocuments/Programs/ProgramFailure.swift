package import Carillon
import CarillonModel
package import Foundation

/// Why a program ends: its exit code, what is wrong, and what to try next.
///
/// Each program has a type of its own, which prints it. The failures that several programs have are
/// made here.
package protocol ProgramFailure: Error {
  /// - Parameters:
  ///   - code: A stable code that scripts can match.
  ///   - message: One sentence: what is wrong, the value, the limit.
  ///   - hint: What to try next.
  init(status: ExitStatus, code: String, message: String, hint: String)
}

extension ProgramFailure {
  /// Conflicting flags, a missing one, or an unexpected argument, which may be a URL with a
  /// password.
  package static func usage(_ message: String, hint: String) -> Self {
    Self(status: .usage, code: "usage", message: message.withoutPasswords, hint: hint)
  }

  /// A malformed or out-of-range value of an argument.
  package static func badValue(_ message: String, hint: String) -> Self {
    Self(status: .usage, code: "invalidValue", message: message.withoutPasswords, hint: hint)
  }

  /// No store, file, habit, schedule, event or person of that name.
  package static func notFound(_ message: String, hint: String) -> Self {
    Self(status: .notFound, code: "notFound", message: message, hint: hint)
  }

  /// Creates the failure for an error of the store.
  package init(store error: StoreError) {
    self.init(
      status: error.reason == .longPath ? .usage : ExitStatus(error.code),
      code: error.code.rawValue, message: error.message, hint: NextStep.after(error))
  }

  /// Creates the failure for an error while something is created: `cannotCreate` (exit code 73) for
  /// any error of the file system except a full disk and an unreadable backup; nil for any other
  /// error, and for too little memory.
  ///
  /// - Parameter hint: What to try next; nil for another directory.
  package init?(creating error: StoreError, hint: String? = nil) {
    guard [.readOnly, .io].contains(error.code),
      error.reason != .backupFile, error.reason != .addressSpace
    else { return nil }
    self.init(
      status: .cannotCreate, code: error.code.rawValue, message: error.message,
      hint: hint ?? "choose a directory that can be created and written")
  }

  /// Creates the failure for a full disk while something is created there; nil for any other error.
  ///
  /// - Parameter place: What was to be created. It was removed again.
  package init?(creating error: StoreError, onDiskOf place: URL) {
    // An error of a peer, such as a quota, or one with its own hint is not about this disk.
    var problem = error.message
    if case .noRoom(let needed) = error.reason {
      problem = "at least \(needed.counted("byte")) are needed"
    } else if error.code != .full || error.hint != nil || !(error.cause is LogError) {
      return nil
    }
    let free = place.freeByteCount.map { ", where \($0.counted("byte")) are free" } ?? ""
    self.init(
      status: .inputOutput, code: error.code.rawValue,
      message: "there is not enough space for \(place.path)\(free): \(problem)",
      hint: "free space on that disk, or choose a directory on another one")
  }

  /// Returns the failure for an error of the operating system.
  ///
  /// - Parameters:
  ///   - message: What could not be done; the reason is appended.
  ///   - reason: The value of `errno`.
  ///   - hint: What to try next if the reason has no hint of its own.
  package static func system(_ message: String, _ reason: Int32, hint: String) -> Self {
    let code = StoreError.Code(errno: reason)
    return Self(
      store: StoreError(
        code: code, message: "\(message): \(String(cString: strerror(reason)))",
        hint: code == .io ? hint : nil))
  }

  /// Returns the failure for an output that did not take all of a text.
  ///
  /// - Parameter reason: The value of `errno`.
  package static func unwritable(_ output: String, _ reason: Int32) -> Self {
    system(
      "\(output) cannot be written", reason,
      hint: "check where the output goes, and run the command again")
  }
}
