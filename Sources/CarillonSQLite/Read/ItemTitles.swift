internal import CarillonModel

/// The titles of fetched items, as far as facts are kept.
///
/// Valid only during the call that was given its reader.
struct ItemTitles {
  private let newest: Statement

  init(_ connection: Connection) throws {
    newest = try connection.prepare(
      """
      SELECT title FROM item WHERE source = ?1 AND item = ?2 AND revision = ?3
      ORDER BY event DESC, place DESC LIMIT 1
      """)
  }

  /// The title of an item in a revision, as it was observed last; nil for what is no item or has
  /// none.
  ///
  /// - Complexity: O(log items kept).
  func title(of subject: ReceiptSubject, revision: String) throws -> String? {
    guard case .item(let source, let item) = subject else { return nil }
    newest.bind(1, source)
    newest.bind(2, item)
    newest.bind(3, revision)
    var title: String?
    while try newest.step() { title = try newest.optionalText(0) }
    return title
  }
}
