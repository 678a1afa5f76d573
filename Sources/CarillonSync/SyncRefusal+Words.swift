internal import CarillonWire

extension SyncRefusal {
  /// The text for people, or a description of the code and its numbers if there is no text.
  var words: String {
    guard text.allSatisfy(\.isWhitespace) else { return text }
    return switch code {
    case .otherStore: "it holds another store"
    case .version: "it speaks versions up to \(limit)"
    case .messageTooLarge: "a message of \(number) bytes; its limit is \(limit)"
    case .tooManyHeads: "it has \(number) heads; the limit is \(limit)"
    case .corruptRun: "run \(run) does not hash to the named ID"
    case .clock: "run \(run): the timestamp of sequence \(number) is out of order or out of range"
    case .retryAfter: "it is busy; retry in \(number) milliseconds"
    case .malformed: "it cannot read the message"
    case .notInvited: "it does not know this device"
    case .revoked: "it revoked this device's access"
    case .headsFull: "it has \(number) heads and accepts no more histories"
    case .ownReplica: "run \(run) is of a ReplicaID that it took in this sync"
    default: "unknown refusal code \(code.rawValue)"
    }
  }
}
