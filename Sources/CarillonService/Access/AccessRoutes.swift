#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Hummingbird

/// `/v1/access` and `/v1/invitations`: who may use the store besides its owner.
struct AccessRoutes {
  let store: Store
  let requesters: Requesters

  func add(to group: some RouterMethods<ServiceContext>) {
    group.get("access") { _, _ in
      Answer(try requesters.access.list(at: requesters.clock()).json)
    }
    group.delete("access/{id}") { _, context in
      let id = try AccessID(in: context)
      guard try requesters.access.revoke(id) else { throw Problem.noAccess(id) }
      return Answer(["revoked": .text(id)])
    }
    group.post("invitations") { request, _ in
      let asked = try await InvitationRequest(request, of: AccessRole.allCases)
      guard let service = try RunningServices(of: store.directory).list().first else {
        throw Problem(
          .serviceUnavailable, code: "unreachable", detail: "the address of the service is unknown",
          hint: "start the service again")
      }
      let invitation = try requesters.access.invite(
        asked.role, of: store, seconds: asked.seconds, to: service, at: requesters.clock())
      return Answer(invitation.json, .created)
    }
  }
}
#endif
