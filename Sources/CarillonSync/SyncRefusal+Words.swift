internal import CarillonWire

extension SyncRefusal {
  /// The text for people, or what the code and its numbers say where there is none.
  var words: String {
    guard text.allSatisfy(\.isWhitespace) else { return text }
    return switch code {
    case .otherStore: "it holds another store"
    case .version: "it speaks no version above \(limit)"
    case .messageTooLarge: "a message of \(number) bytes; its limit is \(limit)"
    case .tooManyHeads: "it has \(number) heads; a vector holds at most \(limit)"
    case .corruptRun: "run \(run) does not come to the ID it names"
    case .clock: "run \(run): the timestamp of sequence \(number) does not rise, or is out of range"
    case .retryAfter: "it is busy and asks to come back in \(number) milliseconds"
    case .malformed: "it cannot read what it was sent"
    case .notInvited: "it does not know this device"
    case .revoked: "it no longer lets this device in"
    case .headsFull: "it has \(number) heads and takes in no further histories"
    case .ownReplica: "run \(run) is of a ReplicaID that it took in this sync"
    default: "code \(code.rawValue), which is not known here"
    }
  }
}
