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
  package let threads: any TaskExecutor

  package init(
    _ access: HubAccess, log: any EventLog, branches: [Branch], identity: ReplicaIdentity,
    threads: any TaskExecutor
  ) {
    (self.access, self.log, self.threads) = (access, log, threads)
    (self.branches, self.identity) = (branches, identity)
  }

  package var person: StoreID { access.person }
}
#endif
