import Carillon
import CarillonDocuments

extension CommandFailure {
  /// Creates the failure for a damaged increment of a backup, with the command that restores what
  /// is before it; nil for any other error.
  ///
  /// - Parameters:
  ///   - backup: The backup, as it was given.
  ///   - directory: The directory to restore to, as it was given.
  ///   - advice: What to do first; empty for nothing else.
  init?(
    damaged error: StoreError, in backup: String, restoringTo directory: String = "DIR",
    advice: String = "", _ time: LocalTime
  ) {
    guard case .damagedIncrement(let end) = error.reason else { return nil }
    let (backup, directory) = (ShellWord.quoted(backup), ShellWord.quoted(directory))
    self.init(
      status: ExitStatus(error.code), code: error.code.rawValue, message: error.message,
      hint: "\(advice)restore what those files have, up to \(time.text(end)): carillon restore "
        + "\(backup) \(directory) --until \(time.rfc3339(end))")
  }
}
