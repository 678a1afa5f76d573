internal import CarillonModel

/// The titles of fetched items, among the retained facts.
///
/// Valid only during the call that received its reader.
struct ItemTitles {
  private let newest: Statement

  init(_ connection: Connection) throws {
    newest = try connection.prepare(
      """
      SELECT title FROM item WHERE source = ?1 AND item = ?2 AND revision = ?3
      ORDER BY event DESC, place DESC LIMIT 1
      """)
  }

  /// Returns the title of an item in a revision from its latest observation; nil if the subject is
  /// not an item or has no title.
  ///
  /// - Complexity: O(log items kept).
  func title(of subject: ReceiptSubject) throws -> String? {
    guard case .item(let source, let item, let revision) = subject else { return nil }
    newest.bind(1, source)
    newest.bind(2, item)
    newest.bind(3, revision)
    var title: String?
    while try newest.step() { title = try newest.optionalText(0) }
    return title
  }
}
