#if Service
/// What the clients of a service share: a limited number, and each credential at most half of it.
struct Shares {
  private let maxCount: Int
  private(set) var total = 0
  private var byCredential: [String: Int] = [:]

  init(maxCount: Int) {
    self.maxCount = maxCount
  }

  /// Why nothing was taken, with the limit.
  enum Refusal: Error {
    /// Everything is taken.
    case isFull(limit: Int)
    /// The credential has its share.
    case hasShare(limit: Int)

    var limit: Int {
      switch self {
      case .isFull(let limit), .hasShare(let limit): limit
      }
    }
  }

  /// The most that a credential has; the owner, who has none, may have everything.
  func most(for credential: String?) -> Int {
    credential == nil ? maxCount : max(1, maxCount / 2)
  }

  /// Takes a number for a credential, or nothing.
  mutating func take(_ count: Int, for credential: String?) throws(Refusal) {
    guard total + count <= maxCount else { throw .isFull(limit: maxCount) }
    if let credential {
      let own = byCredential[credential, default: 0] + count
      let share = most(for: credential)
      guard own <= share else { throw .hasShare(limit: share) }
      byCredential[credential] = own
    }
    total += count
  }

  /// Gives back what was taken.
  mutating func give(_ count: Int, of credential: String?) {
    total -= count
    guard let credential else { return }
    let left = byCredential[credential, default: count] - count
    byCredential[credential] = left > 0 ? left : nil
  }
}
#endif
