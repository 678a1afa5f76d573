package import Carillon

/// The exit codes of the programs, in the convention of `sysexits.h`.
package enum ExitStatus: Int32 {
  case success = 0
  /// The answer is no: differences were found, a check failed, a sync was incomplete, the
  /// permission prompt may not be shown, or there is nothing to snooze.
  case no = 1
  /// The command, a flag, an argument or the value of one is wrong.
  case usage = 64
  /// A line, a file or a store is malformed, or the store refuses a value.
  case badData = 65
  /// There is no such store, file, habit, schedule or event.
  case notFound = 66
  /// The peer cannot be reached.
  case unreachable = 69
  /// A bug in this program.
  case `internal` = 70
  /// A store or a file cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed, or a disk or a quota of the hub is full.
  case inputOutput = 74
  /// Another process holds a lock; try again.
  case busy = 75
  /// The peer broke the protocol.
  case `protocol` = 76
  /// The operating system denied access, or the peer does not accept this device.
  case denied = 77
  /// SIGHUP: the terminal was closed.
  case hungUp = 129
  /// Ctrl-C.
  case interrupted = 130
  /// SIGTERM.
  case terminated = 143
}

extension ExitStatus {
  /// Creates the exit code for the code of an error.
  package init(_ code: StoreError.Code) {
    self =
      switch code {
      case .notFound: .notFound
      case .alreadyExists: .cannotCreate
      case .ambiguous, .invalidValue, .corrupt, .unsupportedFormat, .clockExhausted, .otherStore:
        .badData
      case .unreachable: .unreachable
      case .protocolViolation: .protocol
      case .readOnly, .denied, .missingKeys: .denied
      case .full, .io: .inputOutput
      case .busy: .busy
      default: .internal
      }
  }
}
