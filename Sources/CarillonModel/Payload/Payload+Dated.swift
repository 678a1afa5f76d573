extension Payload {
  /// The same, saying that it happened at a moment.
  ///
  /// - Returns: Nil for a kind that has no such field, and for a payload that says when already.
  package func dated(_ moment: Instant) -> Payload? {
    guard var content = content as? any DatedContent, content.at == nil else { return nil }
    content.at = moment
    return content.payload
  }
}

/// A kind that says when it happened.
package protocol DatedContent: EventContent {
  /// When; nil where that is the event's own millisecond, and then not written.
  var at: Instant? { get set }
}
