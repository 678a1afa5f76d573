package import CarillonModel

/// The stored fields of an event, without its content.
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

/// A stored event.
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

  /// Returns the event with other content, and optionally another ID.
  func with(_ content: StoredContent, id: EventID? = nil) -> HeldEvent {
    HeldEvent(
      header: EventHeader(branch: header.branch, sequence: header.sequence, id: id ?? self.id),
      content: content)
  }

  /// Returns the ID that the event's content hashes to after another event.
  ///
  /// Without a timestamp, that of the event's own ID is used.
  func id(behind previous: EventID, at timestamp: Timestamp? = nil) -> EventID {
    EventChain.id(
      sequence: SequenceNumber(rawValue: header.sequence), timestamp: timestamp ?? id.timestamp,
      previous: previous, payload: content.digest)
  }
}
