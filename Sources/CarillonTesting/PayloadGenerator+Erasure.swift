internal import CarillonModel

/// What is erased.
extension PayloadGenerator {
  /// Something that was, and that goes on to be, written: a habit less often than its receipts,
  /// so that most of a history stays.
  mutating func nearErasure() -> Payload {
    let last = int(1...4) == 1 ? nil : event()
    switch int(1...5) {
    case 1: return .dataErased(Erasure(.habit(habit())))
    case 2...3:
      return .dataErased(Erasure(.items(source: pick(["github", "feed"]) ?? "feed", upTo: last)))
    default: return .dataErased(Erasure(.receipts(of: habit(), upTo: last)))
    }
  }
}
