#if Service
package import CarillonModel

/// A person of a hub: one store, with its log and its devices.
package struct HubPerson: Hashable, Sendable {
  package let id: StoreID
  /// The number of events in the log.
  package var eventCount: UInt64
  /// The number of bytes that the log takes, as the quota counts them.
  package var byteCount: UInt64
  /// The number of devices with access.
  package var deviceCount: Int
  package var quota: HubQuota
  /// Why the log cannot be used, so that its numbers are 0; nil if it can.
  package var problem: String?

  package init(
    _ id: StoreID, eventCount: UInt64 = 0, byteCount: UInt64 = 0, deviceCount: Int = 0,
    quota: HubQuota = HubQuota()
  ) {
    (self.id, self.eventCount, self.byteCount) = (id, eventCount, byteCount)
    (self.deviceCount, self.quota) = (deviceCount, quota)
  }
}

/// What a person may use of a hub.
package struct HubQuota: Hashable, Sendable {
  /// The maximum number of bytes of the log.
  package var bytes: UInt64
  /// The maximum number of devices with access.
  package var devices: Int

  package init(bytes: UInt64 = 256 << 20, devices: Int = 16) {
    (self.bytes, self.devices) = (bytes, devices)
  }
}

extension LogError {
  /// A person has as many devices as the quota allows.
  package static func overQuota(devices quota: UInt64, used: UInt64) -> LogError {
    LogError(
      code: .full,
      message: "a further device does not fit into the quota of devices, which is \(quota); the "
        + "store has \(used) device\(used == 1 ? "" : "s"), and the invitation was not used")
  }

  /// A person who was erased is not added again.
  package static func wasErased(_ person: StoreID) -> LogError {
    LogError(
      code: .alreadyExists,
      message: "the store \(person) was erased for good; a new one needs another ID")
  }

  /// A person has as many invitations as are allowed.
  package static func tooManyInvitations(limit: Int) -> LogError {
    LogError(
      code: .full,
      message: "the store has \(limit) or more invitations that are open; at most \(limit) are "
        + "allowed", hint: "wait until one expires, or revoke one")
  }
}

/// What the erasure of a person removed.
package struct HubErasure: Hashable, Sendable {
  /// The rows or files of the person in one table or directory.
  package struct Table: Hashable, Sendable {
    package let name: String
    package let rowsBefore: Int
    /// Counted again after the erasure: 0.
    package let rowsAfter: Int

    package init(_ name: String, before: Int, after: Int) {
      (self.name, rowsBefore, rowsAfter) = (name, before, after)
    }
  }

  package let tables: [Table]

  package init(_ tables: [Table]) {
    self.tables = tables
  }
}
#endif
