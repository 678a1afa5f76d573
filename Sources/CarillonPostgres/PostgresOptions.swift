#if Service
package import CarillonHub
package import CarillonModel

/// How logs on PostgreSQL are used.
package struct PostgresOptions: Sendable {
  /// The most connections of one pool, unless the caller wants others.
  package static let usualConnectionCount = 16

  /// A libpq connection string or URL.
  package var database: String
  /// Whether a commit must be on a synchronous standby before it is acknowledged.
  package var requiresCopies = false
  /// Who else may use the database meanwhile.
  package var use = HubUse.shared
  /// The most connections of one pool, at least 2.
  package var connectionCount = usualConnectionCount
  /// How long a call waits for a connection, for another writer of the store, or for a server that
  /// does not answer.
  ///
  /// A commit that takes longer has an unknown outcome.
  package var deadline = Duration.seconds(10)
  /// How long a caller should wait after it was refused as busy.
  package var retryAfter = Duration.seconds(1)
  /// The steps of the tables that the process knows.
  var migrations = Migrations.all
  /// Creates new identities.
  package var makeReplicaID: @Sendable () -> ReplicaID = { ReplicaID.random() }

  /// Creates the default options for a database.
  package init(_ database: String) {
    self.database = database
  }
}
#endif
