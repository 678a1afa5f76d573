#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

/// `POST /v1/join` exchanges the code of an invitation for a credential, once.
///
/// `POST /v1/join/check` says what an invitation is for, and leaves it unused.
struct JoinRoutes {
  let store: Store
  let requesters: Requesters
  let rates: AccessRates
  let hosts: OwnHosts

  func add(to group: some RouterMethods<ServiceContext>) {
    group.post("join/check") { request, context in
      try rates.failed(context.client)
      let code = try await JoinRequest.code(in: request)
      guard let entry = try requesters.access.invitation(code, at: requesters.clock()) else {
        throw Problem.noInvitation
      }
      return Answer(entry.purpose(store.id))
    }
    group.post("join") { request, context in
      try rates.failed(context.client)
      let asked = try await JoinRequest(request)
      // They go with the invitation.
      let keys = try requesters.access.invitation(asked.code, at: requesters.clock())?.keys
      let port = asked.isSession ? try context.requirePort() : nil
      guard
        let (entry, secret) = try requesters.access.join(
          asked.code, name: asked.name, sessionAt: port, forReplica: asked.isForReplica,
          at: requesters.clock())
      else {
        throw Problem.noInvitation
      }
      let members = entry.joined(store.id, keys: keys)
      guard let port else {
        return Answer((["credential": .text(secret)] as JSON).merging(members), .created)
          .response(from: request, context: context)
      }
      var response = Answer(members, .created).response(from: request, context: context)
      response.headers[.setCookie] = SessionCookie(port: port).header(
        secret, seconds: AccessEntry.sessionSeconds, isSecure: hosts.areSecure(for: request))
      return response
    }
  }
}
#endif
