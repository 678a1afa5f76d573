package import Carillon
import CarillonModel
import CarillonSync

/// The hint for an error of the store: the next step, in terms of the command line.
package enum NextStep {
  /// Returns the most specific hint for an error.
  package static func after(_ error: StoreError) -> String {
    specific(to: error) ?? (error.cause as? SyncError).flatMap(after(sync:)) ?? after(error.code)
  }

  /// Returns the hint for an error's reason, or the error's own; nil if its code determines it.
  package static func specific<Kind>(to error: CodedError<Kind>) -> String? {
    error.reason.flatMap(after) ?? error.hint
  }

  /// Returns the hint for a reason; nil if the code determines it.
  private static func after(_ reason: ErrorReason) -> String? {
    switch reason {
    case .needsCompacting: "rewrite its file, which loses nothing: carillon compact"
    case .sharedProcessID:
      "start one container in the process ID namespace of the other (docker run --pid "
        + "container:NAME), or use the store in one of them at a time"
    case .addressSpace:
      "free memory, or start it with more address space: ulimit -v unlimited"
    case .foreignFile(let path): "move \(path) elsewhere, or choose another directory"
    case .existingStore:
      "use the store that is there, such as with carillon status --store DIR; or choose another "
        + "directory"
    case .unfinishedJoin:
      "go on with the join: run the same join again, or carillon clone https://HOST DIR --replica "
        + "NAME; or choose another directory, or remove the folder remotes in it"
    case .unreadableLog:
      "create a new replica from another one: carillon clone PEER DIR --replica NAME; or restore a "
        + "backup: carillon restore BACKUP DIR"
    case .heldFile, .longPath, .replacedFiles, .backupFile, .laterBackup, .damagedIncrement: nil
    case .noRoom: "free space on that disk, or choose a directory on another one"
    case .damagedProjections: "rebuild the projections: carillon rebuild"
    case .clockOutOfRange: "set the clock of this device, or use another --now"
    case .noHabit: "list habits: carillon habit list"
    case .erasedHabit: "add a new habit: carillon habit add TITLE"
    case .noSource: "list the sources: carillon receipts"
    case .noNotification(let days):
      "use an id from carillon pending, ingest or receive; reminders are known for \(days) days"
    case .nothingDone:
      "a date on which nothing was done needs no entry; to take back the last one: carillon undo "
        + "HABIT"
    case .openRequest: "to record app activity, run: carillon active"
    case .notFired:
      "to record a date without a notification, run: carillon done HABIT --on DATE"
    case .eventOfOtherStore(let id):
      "make a replica of that store: carillon init --store DIR --replica NAME --store-id \(id)"
    case .tooManyHeads: closeReplicas
    case .unnamedStore:
      "update carillon there; or create a replica with its ID (there, run: carillon status) "
        + "and sync it: carillon init --replica NAME --store DIR --store-id ID"
    }
  }

  /// Returns the hint for a code of a sync if it says more than the store's code.
  private static func after(sync error: SyncError) -> String? {
    switch error.code {
    case .unsupportedVersion: "use the newer version of Carillon on both sides"
    case .messageTooLarge: "set the same message limit on both sides"
    case .tooManyHeads: closeReplicas
    case .corruptRun: "check the peer's log: carillon verify"
    case .malformed: "check that the peer runs the same version of carillon"
    case .retryAfter: "sync again later; the peer is busy"
    case .noProgress: "use the same version of Carillon on both sides, then sync again"
    default: nil
    }
  }

  private static func after(_ code: StoreError.Code) -> String {
    switch code {
    case .notFound: "check the path, or create a store: carillon init --replica NAME --store DIR"
    case .alreadyExists: "choose another directory or name"
    case .ambiguous: "give the ID"
    case .invalidValue: "correct the value that the error names; it says what is allowed"
    case .corrupt:
      "list the damage: carillon verify; repair it from another replica: "
        + "carillon sync PEER --audit; if that fails, create a new replica: "
        + "carillon clone PEER DIR --replica NAME"
    case .unsupportedFormat: "use the version of Carillon that wrote it, or a newer one"
    case .clockExhausted: "set the clock of this device, or give another --now"
    case .otherStore:
      "use a replica of this store (see its id: carillon status); to join two stores permanently: "
        + "carillon join-store A B"
    case .unreachable: "sync again when the peer is reachable; what arrived is kept"
    case .protocolViolation:
      "run the command again; if it still fails, check both stores: carillon verify"
    case .denied: "ask for an invitation there (carillon invite --role ROLE)"
    case .missingKeys:
      "bring the keys back with the recovery phrase: carillon recover; or with a device that has "
        + "them, here and there, by a peer of both: carillon pair PEER; or there: carillon invite "
        + "--role ROLE"
    case .readOnly: "check the permissions of the file or directory, or choose another one"
    case .full:
      "make room on the disk, then try again; nothing was lost; if the log's file has grown, make "
        + "it small again: carillon compact"
    case .busy:
      "stop other programs that use it, such as an app, carillon serve, or carillon sync --watch, "
        + "then try again"
    case .io: "check the disk and the permissions, and run the command again"
    default: "run the command again; if it still fails, check the store: carillon verify"
    }
  }

  private static let closeReplicas =
    "close replicas that no longer write: carillon replicas close --help"
}
