package import Carillon
import CarillonModel

extension RebuildReport {
  /// The result as `{events,seconds,stateDigest,damaged}`.
  package var json: JSON {
    [
      "events": .integer(events), "seconds": .number(duration / .seconds(1)),
      "stateDigest": .text(stateDigest), "damaged": .integer(damagedEventCount),
    ]
  }
}
