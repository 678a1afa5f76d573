public import CarillonModel
import CarillonSQLite

/// The result of receiving a remote notification.
public struct PushIntake: Hashable, Sendable {
  /// Its ID: the sender's collapse ID, else the payload's `carillon-id`, else its revision.
  public let id: String
  /// The revision, which distinguishes pushes with the same ID.
  package let revision: String
  /// The decoded payload.
  public let payload: PushPayload
  /// Whether it replaces an earlier push with the same ID.
  ///
  /// Deliver it in place of the earlier one.
  package let replaced: Bool
  /// Whether the same push was received before.
  ///
  /// Deliver nothing and do nothing.
  public let repeated: Bool
  /// Why nothing may be delivered; nil if delivery is allowed.
  public let blocked: Blocked?
  /// What was written.
  public fileprivate(set) var written: Written
}

extension Store {
  /// The maximum size of a sender's collapse ID in bytes.
  package static let maxCollapseIDBytes = 64

  /// Receives a remote notification and records it once, even if its payload is malformed.
  ///
  /// If it woke the app in the background, the result of the wake is also recorded. The payload is
  /// stored in the event and not sent to any third party.
  ///
  /// - Parameters:
  ///   - content: The payload's bytes, at most 4,096.
  ///   - collapseID: The collapse ID from its headers, 1 to 64 bytes, if any. A later push with the
  ///     same ID replaces it.
  /// - Throws: `invalidValue` if a limit is exceeded; nothing is recorded then.
  public func receive(_ content: [UInt8], collapseID: String? = nil) async throws(StoreError)
    -> PushIntake
  {
    try Self.requireLimits(content, collapseID)
    let payload = PushPayload(content)
    var push = PushReceived(
      id: "", kind: payload.kind, collapses: collapseID != nil,
      category: payload.category?.cut(toBytes: Int(Limit.maxShortBytes)),
      thread: payload.thread?.cut(toBytes: Int(Limit.maxShortBytes)), content: content)
    push.id = collapseID ?? payload.ownID.flatMap(Self.usableID) ?? push.revision
    let latest = Locked<PushIntake?>(nil)
    let written = try await write(isActivity: false) { [push] context in
      let known = try context.reader.pushRevision(push.id)
      let intake = PushIntake(
        id: push.id, revision: push.revision, payload: payload,
        replaced: known != nil && known != push.revision, repeated: known == push.revision,
        blocked: try context.ownDevice().blocked, written: .nothing)
      latest.set(intake)
      var payloads: [Payload] = intake.repeated ? [] : [.pushReceived(push)]
      if payload.wakesApp {
        let result: WakeFinished.Result = intake.repeated ? .noData : .newData
        payloads.append(
          .wakeFinished(
            WakeFinished(reason: .push, result: result, newCount: intake.repeated ? 0 : 1)))
      }
      return Decision(payloads: payloads, needsState: true)
    }
    guard var intake = latest.value else { preconditionFailure("nothing was decided") }
    intake.written = written
    return intake
  }

  /// Records this device's registration for remote notifications in an environment.
  ///
  /// - Throws: `invalidValue`, naming the field and the limit.
  @discardableResult
  public func setPushToken(_ token: PushTokenSet) async throws(StoreError) -> Written {
    try await write { _ in Decision(payloads: [.pushTokenSet(token)]) }
  }

  /// Returns this device's registrations for remote notifications, by environment.
  public func pushTokens() async throws(StoreError) -> [PushTokenSet] {
    try await read { try $0.reader.pushTokens(of: $0.replica) }
  }

  private static func requireLimits(_ content: [UInt8], _ collapseID: String?) throws(StoreError) {
    guard content.count <= PushReceived.maxContentBytes else {
      throw StoreError(
        code: .invalidValue,
        message: "payload: has \(content.count) bytes; "
          + "at most \(PushReceived.maxContentBytes) are allowed",
        hint: "send a smaller payload; nothing was recorded")
    }
    guard let count = collapseID?.utf8.count, !(1...maxCollapseIDBytes).contains(count) else {
      return
    }
    throw StoreError(
      code: .invalidValue,
      message: "collapse id: has \(count) bytes; from 1 to \(maxCollapseIDBytes) are allowed",
      hint: "use the unchanged apns-collapse-id header; nothing was recorded")
  }

  private static func usableID(_ id: String) -> String? {
    (1...maxCollapseIDBytes).contains(id.utf8.count) ? id : nil
  }
}

extension PushPayload {
  fileprivate var wakesApp: Bool { kind == .background || kind == .both }
}
