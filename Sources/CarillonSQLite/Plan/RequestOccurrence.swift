package import CarillonModel

/// The occurrence of a request ID.
package struct RequestOccurrence: Hashable, Sendable {
  /// The request ID.
  package let request: String
  /// The occurrence, with the revision in which it is delivered.
  package let occurrence: OccurrenceID
  /// The other occurrences that the request covers.
  package let alsoCovers: [OccurrenceID]
  /// The instant at which it fires or fired; nil if it fires at a place.
  package let fireAt: Instant?

  /// Creates a value from its parts.
  package init(
    request: String, occurrence: OccurrenceID, alsoCovers: [OccurrenceID] = [],
    fireAt: Instant?
  ) {
    self.request = request
    self.occurrence = occurrence
    self.alsoCovers = alsoCovers
    self.fireAt = fireAt
  }
}
