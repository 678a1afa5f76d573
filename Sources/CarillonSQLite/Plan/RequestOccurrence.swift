package import CarillonModel

/// The occurrence that a request id stands for.
package struct RequestOccurrence: Hashable, Sendable {
  /// The request id.
  package let request: String
  /// The occurrence, with the revision in which it is shown.
  package let occurrence: OccurrenceID
  /// The others for which the request stands.
  package let alsoCovers: [OccurrenceID]
  /// When it fires, or fired; nil for a place.
  package let fireAt: Instant?

  /// Makes a value of its parts.
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
