/// A check that finds the events of a log whose content does not hash to their IDs.
///
/// An ID follows from the event's content and the stored ID of the previous event. If only that
/// stored ID is damaged, the event counts as intact if its ID follows from the ID to which the
/// previous event's content hashes.
struct ChainCheck {
  private let log: any EventReader
  /// The last checked event of each branch.
  private var links: [Link?] = []

  /// The maximum number of previous IDs that are tried for an event.
  ///
  /// After this many consecutive events with damaged IDs, the next event counts as damaged too.
  private static let maxCandidates = 4

  private struct Link {
    let sequence: SequenceNumber
    let id: EventID
    /// The IDs with which a damaged event may have been written; empty for an intact event.
    var candidates: [EventID] = []
  }

  init(_ log: any EventReader) {
    self.log = log
  }

  /// Whether an event's content hashes to its ID; false if the content is missing.
  ///
  /// - Throws: `LogError` if the previous event cannot be read.
  /// - Complexity: O(bytes of the event), and O(log events) for the first event of a branch and
  ///   after each gap.
  mutating func isIntact(_ event: RawEvent) throws -> Bool {
    let index = Int(event.branch.rawValue)
    if index >= links.count {
      links += Array(repeating: nil, count: index + 1 - links.count)
    }
    let before =
      if let link = links[index], link.sequence.next == event.sequence { link } else {
        try link(before: event)
      }
    let (link, isIntact) = Self.link(event, behind: before)
    links[index] = link
    return isIntact
  }

  /// Returns the event before another one, checked against its own predecessor.
  private func link(before event: RawEvent) throws -> Link {
    var link = Link(
      sequence: SequenceNumber(rawValue: 0), id: EventChain.root(of: event.replica))
    let sequence = event.sequence.rawValue
    guard sequence > 1 else { return link }
    let first = SequenceNumber(rawValue: max(1, sequence - 2))
    try log.scan(branch: event.branch, from: first) { before in
      link =
        before.sequence == first && first > .first
        ? Link(sequence: before.sequence, id: before.id) : Self.link(before, behind: link).link
      return before.sequence.next < event.sequence
    }
    return link
  }

  private static func link(
    _ event: RawEvent, behind before: Link
  ) -> (link: Link, isIntact: Bool) {
    var link = Link(sequence: event.sequence, id: event.id)
    guard !event.isMissing else { return (link, false) }
    let digest = event.digest
    func id(behind previous: EventID) -> EventID {
      EventChain.id(
        sequence: event.sequence, timestamp: event.id.timestamp, previous: previous,
        payload: digest)
    }
    let computed = id(behind: before.id)
    if computed == event.id { return (link, true) }
    let others = before.candidates.map(id(behind:))
    if others.contains(event.id) { return (link, true) }
    link.candidates = Array(([computed] + others).prefix(maxCandidates))
    return (link, false)
  }
}

extension EventReader {
  /// Checks every event against the previous one on its branch.
  public func scanIntact(
    after position: LogPosition, _ body: (RawEvent) throws -> Bool
  ) throws {
    var check = ChainCheck(self)
    try scan(after: position) { event in
      try body(try check.isIntact(event) ? event : event.withoutContent)
    }
  }
}

extension RawEvent {
  /// The event as its ID alone.
  fileprivate var withoutContent: RawEvent {
    RawEvent(
      position: position, branch: branch, replica: replica, sequence: sequence, id: id,
      payload: UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
