internal import CarillonModel

/// The events that a peer lacks, in an order in which its log accepts them.
///
/// Parents come first, and closed branches come before the event that closes them.
struct NewsOrder {
  private let tree: BranchTree
  /// Whether a branch may be sent.
  private let mayGo: (Branch) -> Bool
  /// The events that the peer holds, or will hold after the ranges so far.
  private var progress: Coverage
  /// The last sequence to send of a branch, if its next event closes a branch that may not be sent.
  private var limits: [BranchIndex: UInt64] = [:]
  private(set) var ranges: [(branch: Branch, sequences: ClosedRange<UInt64>)] = []

  /// Orders all events that a peer lacks.
  ///
  /// - Parameters:
  ///   - coverage: The events that the peer holds.
  ///   - maxCount: The number of ranges after which to stop.
  ///   - mayGo: Whether a branch may be sent.
  /// - Complexity: O(branches + closed heads).
  init(
    lackedBy coverage: Coverage, in tree: BranchTree, maxCount: Int,
    where mayGo: @escaping (Branch) -> Bool
  ) {
    self.tree = tree
    self.mayGo = mayGo
    progress = coverage
    for closing in tree.closings where ranges.count < maxCount {
      let (branch, sequence) = (closing.place.branch, closing.place.sequence)
      guard progress[branch] < sequence else { continue }
      guard ([closing.place] + closing.closed).allSatisfy(mayReach) else {
        limits[branch] = min(limits[branch] ?? .max, sequence - 1)
        continue
      }
      for place in closing.closed { add(toward: place) }
      add(toward: closing.place)
    }
    for branch in tree.branches where ranges.count < maxCount && mayGo(branch) {
      let last = min(branch.headSequence.rawValue, limits[branch.index] ?? .max)
      guard last >= branch.firstSequence.rawValue, mayReachParent(of: branch),
        let range = progress.missing(of: branch, upTo: last)
      else { continue }
      ranges.append((branch, range))
    }
  }

  private mutating func add(toward place: Place) {
    for (branch, range) in progress.missing(toward: place, in: tree) {
      ranges.append((branch, range))
    }
    progress.cover(place, in: tree)
  }

  private func mayReach(_ place: Place) -> Bool {
    let branch = tree[place.branch]
    if place.sequence <= progress[place.branch] { return true }
    return mayGo(branch) && place.sequence <= limits[place.branch] ?? .max
      && mayReachParent(of: branch)
  }

  private func mayReachParent(of branch: Branch) -> Bool {
    guard progress[branch.index] == 0, let parent = branch.parent else { return true }
    return mayReach(tree.place(on: parent.branch, at: parent.sequence.rawValue))
  }
}
