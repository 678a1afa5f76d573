#if Service
package import CarillonModel

/// Who else may use a hub's database while a process does.
package enum HubUse: Sendable {
  /// Any number of other processes.
  case shared
  /// Nobody, such as while all people are copied.
  case exclusive

  /// How long a process waits for others, which may just have ended.
  package static let patience = Duration.seconds(2)

  /// The error while another process uses the database in a way that excludes this one.
  package var refusal: LogError {
    switch self {
    case .shared: .refused(by: .usedAlone)
    case .exclusive:
      LogError(
        code: .busy, message: "a hub or another command uses the database",
        hint: "stop all processes of the hub, then run the command again")
    }
  }
}
#endif
