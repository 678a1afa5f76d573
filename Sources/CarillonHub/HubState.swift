#if Service
/// Whether hubs may use a database, which a migration of all people changes.
package enum HubState: String, Sendable {
  case serving
  /// A migration to the database has not ended, so that people are missing.
  case filling
  /// All people are in another database.
  case moved

  /// What keeps a hub from using the database; nil if nothing does.
  package var obstacle: HubObstacle? {
    switch self {
    case .serving: nil
    case .filling: .incomplete
    case .moved: .moved
    }
  }
}
#endif
