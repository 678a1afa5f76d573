package import Carillon
import CarillonModel

extension PushIntake {
  /// `{push,kind,revision,replaced,repeated,...,blocked,events[]}`, with what the payload says.
  package var json: JSON {
    let intake: JSON = [
      "push": .text(id), "kind": .text(payload.kind.rawValue), "revision": .text(revision),
      "replaced": .bool(replaced), "repeated": .bool(repeated),
    ]
    return intake.merging(payload.json).merging(["blocked": .text(blocked?.rawValue)])
      .merging(written.json)
  }
}

extension PushPayload {
  fileprivate var json: JSON {
    let texts: [(key: String, value: JSON)] = [
      ("title", .text(title)), ("subtitle", .text(subtitle)), ("body", .text(body)),
      ("sound", .text(sound)), ("category", .text(category)), ("thread", .text(thread)),
      ("interruptionLevel", .text(interruptionLevel)), ("problem", .text(problem)),
    ]
    let badge: JSON = badge.map { .integer($0) } ?? .null
    return JSON.object(texts).merging([
      "badge": badge, "mutable": .bool(isMutable), "custom": .object(customMembers),
    ])
  }
}
