#if Service
import Carillon
import CarillonDocuments
import CarillonModel

/// A device's system as a client describes it: what it holds and delivered, and what the client has
/// just given to it and taken from it.
///
/// It stands for the system while the plan is applied: it accepts the changes that the client made,
/// and refuses all others.
struct ReportedSystem: NotificationScheduler {
  /// The requests that the system holds now.
  let pending: [ScheduledRequest]
  /// Whether the client changed what the system holds.
  var isChanged: Bool { !added.isEmpty || !removed.isEmpty }
  private let notifications: [DeliveredNotification]
  private let added: Set<NotificationID>
  private let removed: Set<NotificationID>

  /// Reads `{pending[{id,fingerprint}],delivered[{id,deliveredAt}],added[id],removed[id]}`.
  init(_ document: RequestDocument) throws {
    var document = document
    guard let listed = try document.list("pending") else {
      throw Problem.malformed(
        "pending is missing", hint: "give the requests that the system holds, or an empty list")
    }
    pending = try listed.map { item in
      let item = try Fields(item, "pending")
      return ScheduledRequest(
        id: try item.id(), fingerprint: try item.text("fingerprint"))
    }
    notifications = try (document.list("delivered") ?? []).map { item in
      let item = try Fields(item, "delivered")
      guard let text = try item.text("deliveredAt"), let at = Instant(rfc3339: text) else {
        throw Problem.invalidValue(
          "delivered: deliveredAt is not a time in RFC 3339, such as 2026-11-26T17:00:00+01:00")
      }
      return DeliveredNotification(id: try item.id(), deliveredAt: at)
    }
    added = try document.ids("added")
    removed = try document.ids("removed")
    try document.finish()
  }

  /// The requests that the system held before the client changed it.
  func scheduled() async throws -> [ScheduledRequest] {
    pending.filter { !added.contains($0.id) }
      + removed.map { ScheduledRequest(id: $0, fingerprint: nil) }
  }

  func remove(_ ids: [RequestID]) async throws {
    let held = Set(pending.map(\.id))
    guard let id = ids.first(where: { held.contains(.request($0)) }) else { return }
    throw Problem.invalidValue("the system still holds \(id)")
  }

  func add(_ request: NotificationRequest) async throws {
    let held = pending.first { $0.id == .request(request.id) }
    guard let held, held.fingerprint ?? request.fingerprint == request.fingerprint else {
      throw Problem.invalidValue("the system does not hold \(request.id)")
    }
  }

  func delivered() async throws -> [DeliveredNotification] { notifications }

  // The client does both by the answer.
  func removeDelivered(_ ids: [RequestID]) async throws {}
  func setBadge(_ count: Int) async throws {}
}

/// The members of one item of a list.
private struct Fields {
  private let members: JSONObject
  private let list: String

  init(_ item: JSON, _ list: String) throws {
    guard case .object(let members) = item else {
      throw Problem.malformed("an item of \(list) must be an object, not \(item.kindName)")
    }
    (self.members, self.list) = (members, list)
  }

  func id() throws -> NotificationID {
    guard let text = try text("id"), !text.isEmpty else {
      throw Problem.malformed("an item of \(list) has no text \"id\"")
    }
    return NotificationID(text)
  }

  func text(_ name: String) throws -> String? {
    switch members[name] {
    case .text(let text)?: return text
    case nil, .null?: return nil
    case let other?:
      throw Problem.malformed("\(name) of an item of \(list) must be text, not \(other.kindName)")
    }
  }
}

extension RequestDocument {
  /// Takes a list of IDs of notifications; empty if the member is absent.
  fileprivate mutating func ids(_ name: String) throws -> Set<NotificationID> {
    let ids = try (list(name) ?? []).map { value -> NotificationID in
      guard case .text(let text) = value else {
        throw Problem.malformed("\(name) must be a list of texts, not of \(value.kindName)")
      }
      return NotificationID(text)
    }
    return Set(ids)
  }
}
#endif
