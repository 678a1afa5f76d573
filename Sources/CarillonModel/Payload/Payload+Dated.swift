extension Payload {
  /// Returns the payload with the moment at which it happened.
  ///
  /// - Returns: Nil for a kind that has no such field, and for a payload that already has a moment.
  package func dated(_ moment: Instant) -> Payload? {
    switch self {
    // Most payloads are of these kinds, for which no existential is needed.
    case .entryRecorded(var entry):
      guard entry.at == nil else { return nil }
      entry.at = moment
      return entry.payload
    case .dayMarked: return nil
    default:
      guard var content = content as? any DatedContent, content.at == nil else { return nil }
      content.at = moment
      return content.payload
    }
  }
}

/// A kind that records when something happened.
package protocol DatedContent: EventContent {
  /// The moment; nil if it is the event's own millisecond, which is not written.
  var at: Instant? { get set }
}
