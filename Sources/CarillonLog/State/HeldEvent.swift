package import CarillonModel

/// What is stored of an event besides its content.
package struct EventHeader: Hashable, Sendable {
  package let branch: UInt32
  package let sequence: UInt64
  package let id: EventID

  package init(branch: UInt32, sequence: UInt64, id: EventID) {
    self.branch = branch
    self.sequence = sequence
    self.id = id
  }

  /// Whether the header names a place.
  package func isAt(_ branch: UInt32, _ sequence: UInt64) -> Bool {
    self.branch == branch && self.sequence == sequence
  }
}

/// An event as it is stored.
package struct HeldEvent: Sendable {
  package let header: EventHeader
  package let content: StoredContent

  package init(header: EventHeader, content: StoredContent) {
    self.header = header
    self.content = content
  }

  package var id: EventID { header.id }

  /// Returns the event with a header that names a place.
  func placed(_ branch: UInt32, _ sequence: UInt64) -> HeldEvent {
    HeldEvent(header: EventHeader(branch: branch, sequence: sequence, id: id), content: content)
  }

  /// The event with other content, and perhaps another ID.
  func with(_ content: StoredContent, id: EventID? = nil) -> HeldEvent {
    HeldEvent(
      header: EventHeader(branch: header.branch, sequence: header.sequence, id: id ?? self.id),
      content: content)
  }

  /// The ID to which the event hashes behind another one; at the time that its own ID says, if no
  /// other is given.
  func id(behind previous: EventID, at timestamp: Timestamp? = nil) -> EventID {
    EventChain.id(
      sequence: SequenceNumber(rawValue: header.sequence), timestamp: timestamp ?? id.timestamp,
      previous: previous, payload: content.digest)
  }
}
