/// The retention of fetched items, receipts and answers in the projections.
///
/// The log keeps everything.
package enum Retention {
  /// The number of facts of each kind that are retained per source and writing replica.
  ///
  /// The newest facts are retained, by event ID and position in the event, regardless of the order
  /// of arrival. The source of an occurrence's fact is its habit. An expired fact is treated as if
  /// it never existed: an item that is fetched again alerts again.
  package static let perSource = 1_000
}
