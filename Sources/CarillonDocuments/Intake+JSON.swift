package import Carillon
import CarillonModel

extension Intake {
  /// `{result, fresh[{id, item, revision, ...}], seen, withdrawn[], blocked}`.
  package var json: JSON {
    [
      "result": .text(result.rawValue),
      "fresh": .array(fresh) { fresh in
        let item = fresh.item
        let texts = [
          ("title", item.title), ("body", item.body), ("thread", item.thread), ("url", item.url),
        ]
        return .object(
          [
            ("id", .text(fresh.id.description)), ("item", .text(item.id)),
            ("revision", .text(item.revision)),
          ] + texts.compactMap { name, text in text.map { (name, .text($0)) } })
      },
      "seen": .integer(seen), "withdrawn": .array(withdrawn) { .text($0.description) },
      "blocked": .text(blocked?.rawValue),
    ]
  }
}
