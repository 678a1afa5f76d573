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
      let text = context.parameters.get("id") ?? ""
      guard let id = AccessID(text) else {
        throw Problem.invalid("id", text, "an ID of 16 hexadecimal digits")
      }
      guard try requesters.access.revoke(id) else {
        throw Problem(
          .notFound, code: "notFound", detail: "there is no access with the ID \(id)",
          hint: "list all with GET /v1/access")
      }
      return Answer(["revoked": .text(id)])
    }
    group.post("invitations") { request, _ in
      var document = try await RequestDocument(short: request)
      let text = try document.text("role")
      let seconds = try document.integer("expiresSeconds")
      try document.finish()
      guard let role = text.flatMap(AccessRole.init(rawValue:)) else {
        let roles = AccessRole.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem.invalid("role", text ?? "", "one of \(roles)")
      }
      guard let service = try RunningServices(of: store.directory).list().first else {
        throw Problem(
          .serviceUnavailable, code: "unreachable", detail: "the address of the service is unknown",
          hint: "start the service again")
      }
      let invitation = try requesters.access.invite(
        role, of: store, seconds: seconds ?? AccessFiles.usualInvitationSeconds, to: service,
        at: requesters.clock())
      return Answer(invitation.json, .created)
    }
  }
}
#endif
