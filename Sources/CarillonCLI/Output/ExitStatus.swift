/// The exit codes of the command line, as `sysexits.h` names them.
enum ExitStatus: Int32 {
  case success = 0
  /// The answer is no: differences were found, a check failed, a sync left something out, the
  /// prompt was shown before, or there is nothing to snooze.
  case no = 1
  /// A verb, a flag or the number of arguments is wrong.
  case usage = 64
  /// A value, a line, a file or a store is not what it should be.
  case badData = 65
  /// There is no such store, file, habit, schedule or event.
  case notFound = 66
  /// The peer cannot be reached.
  case unreachable = 69
  /// A mistake of this program.
  case `internal` = 70
  /// A store or a file cannot be made.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Somebody else holds what is needed; try again.
  case busy = 75
  /// The peer broke the protocol.
  case `protocol` = 76
  /// Permission of the operating system is missing.
  case denied = 77
  /// Ctrl-C.
  case interrupted = 130
  /// SIGTERM.
  case terminated = 143
}
