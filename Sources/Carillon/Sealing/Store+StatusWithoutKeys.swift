import CarillonModel

extension Store {
  /// Returns what the log of a sealed store shows to somebody without its keys.
  func statusWithoutKeys() throws -> StoreStatus {
    let replicas = try replicas(described: [:])
    let (position, identity) = (try log.lastPosition(), try log.identity())
    return StoreStatus(
      store: id, storage: storage, replica: identity.replica,
      name: replicas.first { $0.replica == identity.replica }?.name ?? "new", role: nil,
      eventCount: position.rawValue, replicas: replicas, sealingEpoch: nil, unknownEventCount: 0,
      unconfirmedEventCount: 0, missingEventCount: 0, damagedEventCount: 0, checkpoint: .start,
      coverageUntil: nil, leftOut: [], deliverer: nil, owners: [], isRetired: false, blocked: nil,
      hasReminders: false, clockSkew: [:],
      health: [
        "the store is sealed, and its keys are not on this device: it can be synced, verified, "
          + "compacted and backed up, but habits, reminders and device names cannot be shown"
      ])
  }
}
