import Foundation

/// The messages that Dispatch writes to the system's log.
package enum DispatchLog {
  /// Turns them off for this process and those that it starts, unless the person chose otherwise.
  ///
  /// Dispatch raises the priority of its threads, which the system allows only root. Without this,
  /// the log gets a line for each thread of each command.
  ///
  /// Must be called before the first thread starts.
  package static func turnOff() { setenv("LIBDISPATCH_LOG", "NO", 0) }
}
