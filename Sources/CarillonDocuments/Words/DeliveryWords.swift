package import Carillon
package import CarillonModel

/// Which device delivers the reminders, and what prevents delivery on this one, in words.
package struct DeliveryWords: Sendable {
  let time: LocalTime
  let terms: Terms
  private let replicas: [ReplicaID: ReplicaInfo]
  private let device: Device
  /// When the plan that the system has ended; nil if it covers the time ahead, or is not known.
  let ranOut: Instant?
  /// Why no reminder of any habit fires, and what to do; nil unless all habits are paused.
  package let pausedAll: String?

  /// Reads from a store what the words name.
  package init(
    _ store: Store, _ time: LocalTime, _ terms: Terms = .plain, ranOut: Instant? = nil
  ) async throws {
    (self.time, self.terms, self.ranOut) = (time, terms, ranOut)
    replicas = Dictionary(
      try await store.replicas().map { ($0.replica, $0) }, uniquingKeysWith: { first, _ in first })
    device = try await store.device()
    pausedAll = try await store.pauseOfAll().map { pause in
      "All habits are paused \(time.text(pauseUntil: pause.last))"
        + terms(". To resume", .resume(nil))
    }
  }

  /// Why nothing or not everything is delivered on this device, and what to do; nil if nothing
  /// prevents it.
  package var stopped: String? {
    if let blockedText { return blockedText }
    return ranOut.map { end in
      "The plan that the system has ended on \(time.text(end)); later reminders may be missing"
        + terms(". To plan again", .plan)
    }
  }

  /// Since when something prevents delivery on this device; nil if it is not known.
  package var blockedSince: Instant? {
    switch device.blocked {
    case .notDetermined, .denied: device.permissionSince
    case .alertsOff: device.alertsSince
    case nil: device.retiredSince
    }
  }

  /// Why nothing may be delivered on this device, and what to do; nil if nothing prevents it.
  package var blockedText: String? { isServer ? nil : device.blocked?.text(terms) }

  /// Why nothing may be delivered on this device; nil if nothing prevents it.
  package var blocked: Blocked? { device.blocked }

  /// Returns the name of a device: `the phone` if it is named after what it is.
  package func name(_ replica: ReplicaID) -> String {
    guard let info = replicas[replica] else {
      return replica == device.replica
        ? device.description?.name ?? "this device" : String(replica.description.prefix(8))
    }
    return info.name == info.role?.rawValue ? "the \(info.name)" : info.name
  }

  /// The name of this device.
  var ownName: String { name(device.replica) }

  /// Whether a replica is this device.
  func isOwn(_ replica: ReplicaID) -> Bool { replica == device.replica }

  var isServer: Bool { device.description?.role == .server }

  /// How to use this device again after it was retired.
  var usingAgain: String {
    terms("; to use it again", .useAgain(device.replica, name: device.name ?? ""))
  }

  var isRetired: Bool { device.retiredSince != nil }

  /// Returns which device reminds in place of this one, or why none does; nil if this device
  /// reminds of any habit, or would if one had reminders.
  package func replacement(_ status: StoreStatus) -> String? {
    guard isRetired || status.hasReminders, status.deliverer != device.replica,
      !status.owners.contains(where: { $0.deliverer == device.replica })
    else { return nil }
    return reminders(status)
  }

  /// Returns which device reminds: first of habits that any device may remind of, then of others.
  package func reminders(_ status: StoreStatus) -> String {
    let others = status.owners.filter { $0.owner != .phoneFirst }.map(exception)
    return ([usual(status)] + others).joined(separator: "; ")
  }

  /// The answer of ``reminders(_:)`` for programs.
  package func remindersJSON(_ status: StoreStatus) -> JSON {
    [
      "replica": .text(status.deliverer?.description), "blocked": .text(status.blocked?.rawValue),
      "detail": .text(reminders(status)),
      "owners": .array(status.owners) { own in
        [
          "owner": .text(own.owner.rawValue), "habits": .integer(own.habitCount),
          "replica": .text(own.deliverer?.description),
        ]
      },
    ]
  }

  private func exception(_ own: OwnerDelivery) -> String {
    let habits = own.habitCount.counted("habit")
    let options = "\(habits) with \(terms.owner(own.owner))"
    if own.owner == .both, own.deliverer == device.replica {
      return "of \(options) every device in use reminds"
    }
    guard let deliverer = own.deliverer else { return "no device reminds of \(options)" }
    return deliverer == device.replica
      ? "this device reminds of \(options)" : "\(name(deliverer)) reminds of \(options)"
  }

  private func usual(_ status: StoreStatus) -> String {
    let state =
      switch status.blocked {
      case _ where isRetired:
        ", which is retired"
          + terms("; to use it again", .useAgain(status.replica, name: status.name))
      case _ where isServer: ", a server, which never reminds"
      case let blocked?: ", where \(blocked.cause)"
      case nil: ""
      }
    guard let deliverer = status.deliverer else {
      return "no device reminds; this is \(ownName)\(state)"
    }
    return deliverer == device.replica
      ? "this device reminds"
      : "\(name(deliverer)) reminds; this is \(ownName)\(state)"
  }
}
