public import CarillonModel
import CarillonSQLite

/// What became of a remote notification that came in.
public struct PushIntake: Hashable, Sendable {
  /// Its id: the sender's collapse id, else the payload's `carillon-id`, else its revision.
  public let id: String
  /// Tells pushes of one id apart.
  public let revision: String
  /// What its payload says.
  public let payload: PushPayload
  /// Whether an earlier push of the same id is no longer current: show this one in its place.
  public let replaced: Bool
  /// Whether this very push came before: show and do nothing.
  public let repeated: Bool
  /// Why nothing may be shown; nil where it may.
  public let blocked: Blocked?
  /// What was written.
  public fileprivate(set) var written: Written
}

extension Store {
  /// The most bytes of a sender's collapse id.
  public static let maxCollapseIDBytes = 64

  /// Takes a remote notification in, also one that cannot be read, and records it once.
  ///
  /// Where it woke the app in the background, how the wake ended is recorded too. What the payload
  /// says is kept in the event and told to nobody else.
  ///
  /// - Parameters:
  ///   - content: The payload's bytes, at most 4,096.
  ///   - collapseID: The collapse id of its headers, 1 to 64 bytes, where there was one: a later
  ///     push of the same id replaces it.
  /// - Throws: `invalidValue` for what is longer than that; nothing is recorded then.
  public func receive(_ content: [UInt8], collapseID: String? = nil) async throws -> PushIntake {
    try Self.requireLimits(content, collapseID)
    let payload = PushPayload(content)
    var push = PushReceived(
      id: "", kind: payload.kind, collapses: collapseID != nil,
      category: payload.category?.cut(toBytes: Self.maxNameBytes),
      thread: payload.thread?.cut(toBytes: Self.maxNameBytes), content: content)
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

  /// Records how this device registered for remote notifications in an environment.
  ///
  /// - Throws: `invalidValue` naming the field and the limit.
  @discardableResult
  public func setPushToken(_ token: PushTokenSet) async throws -> Written {
    try await write { _ in Decision(payloads: [.pushTokenSet(token)]) }
  }

  /// How this device registered for remote notifications, by environment.
  public func pushTokens() async throws -> [PushTokenSet] {
    try await read { try $0.reader.pushTokens(of: $0.replica) }
  }

  private static let maxNameBytes = 200

  private static func requireLimits(_ content: [UInt8], _ collapseID: String?) throws {
    guard content.count <= PushReceived.maxContentBytes else {
      throw StoreError(
        code: .invalidValue,
        message: "payload: has \(content.count) bytes; "
          + "at most \(PushReceived.maxContentBytes) are allowed",
        hint: "no push service delivers more; nothing was recorded")
    }
    guard let count = collapseID?.utf8.count, !(1...maxCollapseIDBytes).contains(count) else {
      return
    }
    throw StoreError(
      code: .invalidValue,
      message: "collapse id: has \(count) bytes; from 1 to \(maxCollapseIDBytes) are allowed",
      hint: "give the header apns-collapse-id as it came; nothing was recorded")
  }

  private static func usableID(_ id: String) -> String? {
    (1...maxCollapseIDBytes).contains(id.utf8.count) ? id : nil
  }
}

extension PushPayload {
  fileprivate var wakesApp: Bool { kind == .background || kind == .both }
}
