import CarillonLog
import CarillonModel

extension OpenedLog {
  /// Returns lists of the events whose payloads are to be erased, without those that a list in the
  /// log names already, such as that of the device which erased them first.
  ///
  /// - Complexity: O(events between the first and the last of them).
  func erasureLists(of erased: [ErasedPayload]) throws -> [ErasureList] {
    var groups: [Group: [Head]] = [:]
    for (event, erasure) in try unlisted(erased) {
      groups[Group(erasure: erasure, branch: event.branch), default: []].append(event.head)
    }
    return groups.sorted { $0.key < $1.key }.flatMap { group, heads in
      let heads = heads.sorted { $0.sequence < $1.sequence }
      return stride(from: 0, to: heads.count, by: ErasureList.maxCount).map { start in
        let part = heads[start...].prefix(ErasureList.maxCount)
        return ErasureList(
          erasure: group.erasure, last: part[part.endIndex - 1],
          others: Set(part.dropLast().map(\.sequence)))
      }
    }
  }

  /// The events of one list.
  private struct Group: Hashable, Comparable {
    let erasure: EventID
    let branch: BranchIndex

    static func < (left: Self, right: Self) -> Bool {
      (left.erasure, left.branch.rawValue) < (right.erasure, right.branch.rawValue)
    }
  }

  /// An event as the log has it.
  private struct Place {
    let position: LogPosition
    let branch: BranchIndex
    let head: Head
  }

  /// Returns the events that no list names, with their erasures.
  private func unlisted(
    _ erased: [ErasedPayload]
  ) throws -> [(event: Place, erasure: EventID)] {
    let erasures = Dictionary(erased.map { ($0.position, $0.erasure) }) { first, _ in first }
    guard let first = erasures.keys.min(), let last = erasures.keys.max() else { return [] }
    var found: [(event: Place, erasure: EventID)] = []
    try sealed.scan(after: LogPosition(rawValue: first.rawValue - 1)) { event in
      if let erasure = erasures[event.position] {
        let head = Head(replica: event.replica, sequence: event.sequence, id: event.id)
        found.append((Place(position: event.position, branch: event.branch, head: head), erasure))
      }
      return event.position < last
    }
    let lists = Dictionary(grouping: try keys.erasureLists(), by: \.last.replica)
    guard !lists.isEmpty else { return found }
    let named = lists.filter { replica, _ in found.contains { $0.event.head.replica == replica } }
      .mapValues { lists in
        Dictionary(
          lists.flatMap { list in list.sequences.map { ($0, [list.last.id]) } },
          uniquingKeysWith: +)
      }
    return try found.filter { event, _ in
      let candidates = named[event.head.replica]?[event.head.sequence] ?? []
      return try !candidates.contains { try isOnBranch(of: $0, event) }
    }
  }

  /// Whether an event is on the branch that ends with another event, as a list names it.
  private func isOnBranch(of last: EventID, _ event: Place) throws -> Bool {
    guard let position = try sealed.position(of: last) else { return false }
    var branch: BranchIndex?
    try sealed.scan(after: LogPosition(rawValue: position.rawValue - 1)) {
      branch = $0.branch
      return false
    }
    return try branch.flatMap { try sealed.position(on: $0, at: event.head.sequence) }
      == event.position
  }
}
