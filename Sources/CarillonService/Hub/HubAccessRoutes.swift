#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonHub
import CarillonModel
import HTTPTypes
import Hummingbird

/// How devices of a hub join, and how a person's devices list, invite and revoke each other.
struct HubAccessRoutes {
  let hub: Hub
  let rates: AccessRates
  /// Where devices reach the hub, for the links of invitations.
  let service: @Sendable () -> RunningServices.Service?

  /// Adds the routes for everyone who has the code of an invitation.
  func addJoining(to group: some RouterMethods<ServiceContext>) {
    group.post("join/check") { request, context in
      try rates.failed(context.client)
      let (invitation, entry) = try await invitation(JoinRequest.code(in: request))
      return Answer(entry.purpose(invitation.person))
    }
    group.post("join") { request, context in
      try rates.failed(context.client)
      let asked = try await JoinRequest(request)
      guard !asked.isSession else {
        throw Problem.invalid("session", "true", "false, since a hub has no page")
      }
      try AccessEntry.requireName(asked.name)
      if let joined = try await joined(asked) { return Answer(joined, .created) }
      do {
        return Answer(try await exchange(asked), .created)
      } catch let problem as Problem where problem.code == Problem.noInvitation.code {
        // The first of two equal exchanges may have ended meanwhile.
        guard let joined = try await joined(asked) else { throw problem }
        return Answer(joined, .created)
      }
    }
  }

  /// Returns the answer to a repeated exchange, whose credential has access; nil for any other.
  private func joined(_ asked: JoinRequest) async throws -> JSON? {
    guard let credential = asked.credential,
      let access = try await hub.access(.device, credential), let device = access.entry
    else { return nil }
    return Self.answer(device.joined(access.person), credential)
  }

  /// Exchanges an invitation for a credential, and returns the answer.
  ///
  /// - Throws: ``Problem`` `forbidden` if there is no such invitation.
  private func exchange(_ asked: JoinRequest) async throws -> JSON {
    let (invitation, entry) = try await invitation(asked.code)
    let person = invitation.person
    let (device, secret) = try entry.accepted(
      as: asked.name, forReplica: true, secret: asked.credential, at: hub.clock())
    let access = HubAccess(device, of: person, secret: secret)
    guard
      try await hub.using(groupOf: person, { try await $0.exchange(invitation, for: access) })
    else {
      throw Problem.noInvitation
    }
    return Self.answer(device.joined(person, keys: entry.keys), secret)
  }

  private static func answer(_ members: JSON, _ secret: AccessSecret) -> JSON {
    (["credential": .text(secret.text)] as JSON).merging(members)
  }

  /// Adds the routes for devices.
  func add(to group: some RouterMethods<ServiceContext>) {
    group.get("access") { _, context in
      let id = try context.requireDevice().person
      let (entries, person) = try await hub.using(groupOf: id) { database in
        (try await database.access(of: id, includingKeys: false), try await database.person(id))
      }
      guard let person else { throw Problem.noCredential }
      let valid = entries.filter { $0.isValid(at: hub.clock()) }.compactMap(\.entry)
      let list = AccessFiles.List(
        entries: valid.filter { $0.kind == .device } + valid.filter { $0.kind == .invitation })
      return Answer(list.json.merging(["quota": person.quotaJSON]))
    }
    group.delete("access/{id}") { _, context in
      let person = try context.requireDevice().person
      let id = try AccessID(in: context)
      guard
        try await hub.using(groupOf: person, { try await $0.revoke(id.bytes, of: person) })
      else {
        throw Problem.noAccess(id)
      }
      return Answer(["revoked": .text(id)])
    }
    group.post("invitations") { request, context in
      let person = try context.requireDevice().person
      let asked = try await InvitationRequest(request, of: Self.roles, mayHaveKeys: true)
      guard let service = service() else {
        throw Problem.busy("the address of the hub is not known yet")
      }
      let (entry, code) = try AccessEntry.invitation(
        asked.role, seconds: asked.seconds, keys: asked.keys, at: hub.clock())
      let access = HubAccess(entry, of: person, secret: code)
      try await hub.using(groupOf: person) { [hub] in try await $0.add(access, at: hub.clock()) }
      return Answer(IssuedInvitation(entry, service.link(code: code.text)).json, .created)
    }
  }

  /// The roles that can be invited: a viewer would see nothing at a hub.
  private static let roles = AccessRole.allCases.filter { $0.device != nil }

  /// Returns the valid invitation of a code.
  ///
  /// - Throws: ``Problem`` `forbidden` if there is none.
  private func invitation(_ code: String) async throws -> (HubAccess, AccessEntry) {
    guard let code = AccessSecret(code, byteCount: AccessSecret.invitationBytes),
      let invitation = try await hub.access(.invitation, code), let entry = invitation.entry
    else { throw Problem.noInvitation }
    return (invitation, entry)
  }
}

extension HubPerson {
  /// What the person uses, and the quota.
  fileprivate var quotaJSON: JSON {
    [
      "bytes": .integer(byteCount), "maxBytes": .integer(quota.bytes),
      "devices": .integer(deviceCount), "maxDevices": .integer(quota.devices),
    ]
  }
}
#endif
