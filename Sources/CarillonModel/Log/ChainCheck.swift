/// Finds the events of a log whose content does not hash to their IDs.
///
/// An ID follows from the content and from the ID before it, as that one is stored. Where only that
/// one is damaged, the event is intact if its ID follows from the one to which the content before
/// it hashes.
struct ChainCheck {
  private let log: any EventReader
  /// By branch: the last event that was checked.
  private var links: [Link?] = []

  /// How many IDs an event is tried behind: that many events in a row may bear damaged IDs before
  /// the next one counts as damaged too.
  private static let maxCandidates = 4

  private struct Link {
    let sequence: SequenceNumber
    let id: EventID
    /// Which IDs a damaged event may have been written with; an intact one has none but its own.
    var candidates: [EventID] = []
  }

  init(_ log: any EventReader) {
    self.log = log
  }

  /// Whether an event's content hashes to its ID; false where the content is missing.
  ///
  /// - Throws: `LogError` where the event before it cannot be read.
  /// - Complexity: O(bytes of the event), and O(log events) for the first of a branch and after
  ///   each gap.
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

  /// The event before another one, judged by the one before that.
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
  /// Checks every event by the one before it on its branch.
  public func scanIntact(
    after position: Position, _ body: (RawEvent) throws -> Bool
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
