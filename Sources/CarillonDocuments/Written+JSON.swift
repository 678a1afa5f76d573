package import Carillon
import CarillonModel

extension Written {
  /// `{"events":[{position,sequence,id,type}]}`.
  package var json: JSON {
    [
      "events": .array(events) { event in
        [
          "position": .integer(event.position.rawValue),
          "sequence": .integer(event.sequence.rawValue), "id": .text(event.id.description),
          "type": .text(event.kind.name),
        ]
      }
    ]
  }
}
