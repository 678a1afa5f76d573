import Foundation

/// The end of a program by a signal that it handles.
package enum SignalEnd {
  /// Ends this process as the signal does that nobody handles.
  ///
  /// At Ctrl-C, a shell ends a script only if the signal ended the script's command, and a service
  /// manager takes an end by SIGTERM as a success. An exit code tells them neither.
  ///
  /// Safe in a handler of signals.
  package static func end(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    // The first process of a container, which such a signal does not end.
    _exit(128 + number)
  }
}
