/// A request that this device planned lately.
package struct PlannedRequest: Hashable, Sendable {
  /// The request's ID.
  package let id: RequestID
  /// The occurrence for which it was planned last, in the revision in which it is delivered.
  package let occurrence: OccurrenceID
  /// The other occurrences that the request represents.
  package let alsoRepresents: [OccurrenceID]
  /// The instant at which it fires or fired; nil if it fires at a place.
  package let fireAt: Instant?
  /// The instant since which the system is known to hold the request, if it repeats.
  package let heldSince: Instant?

  /// Creates a value from its parts.
  package init(
    id: RequestID, occurrence: OccurrenceID, alsoRepresents: [OccurrenceID] = [], fireAt: Instant?,
    heldSince: Instant? = nil
  ) {
    self.id = id
    self.occurrence = occurrence
    self.alsoRepresents = alsoRepresents
    self.fireAt = fireAt
    self.heldSince = heldSince
  }
}
