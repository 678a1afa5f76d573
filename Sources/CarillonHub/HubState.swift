#if Service
/// Whether hubs may use a database, which a migration of all people changes.
package enum HubState: Hashable, Sendable {
  case serving
  /// A migration from another hub to the database has not ended, so that people are missing.
  ///
  /// An earlier version did not store from which hub.
  case filling(from: HubID?)
  /// All people are in another database.
  case moved

  /// Reads what a database stores.
  ///
  /// - Returns: Nil for a name that is not known.
  package init?(_ name: String, source: [UInt8]?) {
    switch name {
    case "serving": self = .serving
    case "filling": self = .filling(from: source.map { HubID($0) })
    case "moved": self = .moved
    default: return nil
    }
  }

  /// The word that a database stores.
  package var name: String {
    switch self {
    case .serving: "serving"
    case .filling: "filling"
    case .moved: "moved"
    }
  }

  /// The hub from which people are copied; nil if nobody is, or if it is not known.
  package var source: HubID? {
    switch self {
    case .filling(let source): source
    case .serving, .moved: nil
    }
  }

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
