package import Carillon
import CarillonModel

extension SyncReport {
  /// The report in JSON; sent and received are from the view of the first-named store.
  package var json: JSON {
    [
      "method": .text(method.rawValue), "messages": .integer(messages),
      "roundTrips": .integer(roundTrips), "bytesSent": .integer(bytesSent),
      "bytesReceived": .integer(bytesReceived), "eventsSent": .integer(eventsSent),
      "eventsReceived": .integer(eventsReceived),
      "forks": .array(forks) { fork in
        [
          "replica": .text(fork.replica.description), "sequence": .integer(fork.sequence),
          "heads": .array(fork.heads) { .text($0.description) },
        ]
      },
      "missingHere": .integer(missingHere), "missingThere": .integer(missingThere),
      "stateDifference": .text(stateDifference?.rawValue),
      "newIdentities": .array(newIdentities) { identity in
        [
          "replica": .text(identity.replica.description),
          "predecessor": .text(identity.predecessor.description),
        ]
      },
      "repaired": .integer(repaired),
      "repairedThere": .integer(repairedThere),
      "unrepaired": .array(unrepaired) { damage in
        [
          "replica": .text(damage.replica.description), "sequence": .integer(damage.sequence),
          "isRemote": .bool(damage.isRemote),
        ]
      },
      "headsDiffer": .bool(headsDiffer),
      "refused": .array(refused) { .text($0) }, "warnings": .array(warnings) { .text($0) },
    ]
  }
}
