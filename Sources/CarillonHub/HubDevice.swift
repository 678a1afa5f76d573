#if Service
package import CarillonModel

/// A device that makes a request, and the log of its person, as one look-up finds them.
package struct HubDevice: Sendable {
  package let access: HubAccess
  /// The log of the person, for one request.
  ///
  /// An append that would exceed the quota of bytes throws `full`, and appends nothing.
  ///
  /// The caller does not close it. Its calls block, and belong on ``threads``.
  package let log: any EventLog
  /// The branches of the log at the look-up.
  package let branches: [Branch]
  /// The identity of the log at the look-up.
  package let identity: ReplicaIdentity
  /// The quota of bytes at the look-up.
  package let byteQuota: UInt64
  /// Returns the number of bytes of the log, as the quota counts them, without asking a server.
  ///
  /// It blocks, as the calls of the log do.
  package let byteCount: @Sendable () throws -> UInt64
  package let threads: any TaskExecutor

  package init(
    _ access: HubAccess, log: any EventLog, branches: [Branch], identity: ReplicaIdentity,
    byteQuota: UInt64, byteCount: @escaping @Sendable () throws -> UInt64,
    threads: any TaskExecutor
  ) {
    (self.access, self.log, self.threads) = (access, log, threads)
    (self.branches, self.identity) = (branches, identity)
    (self.byteQuota, self.byteCount) = (byteQuota, byteCount)
  }

  package var person: StoreID { access.person }
}
#endif
