internal import CarillonModel

/// Erasures.
extension PayloadGenerator {
  /// Returns an erasure of something that was written, and may be written again.
  ///
  /// A habit is erased less often than its receipts, so most of a history remains.
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
