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
      let found = try requesters.withFiles { access throws(StoreError) in
        try access.invitation(code, at: requesters.clock())
      }
      guard let entry = found else { throw Problem.noInvitation }
      return Answer(entry.purpose(store.id))
    }
    group.post("join") { request, context in
      try rates.failed(context.client)
      let asked = try await JoinRequest(request)
      let port = asked.isSession ? try context.requirePort() : nil
      let (keys, joined) = try requesters.withFiles { access throws(StoreError) in
        // They go with the invitation.
        let keys = try access.invitation(asked.code, at: requesters.clock())?.keys
        let joined = try access.join(
          asked.code, name: asked.name, sessionAt: port, forReplica: asked.isForReplica,
          at: requesters.clock())
        return (keys, joined)
      }
      guard let (entry, secret) = joined else { throw Problem.noInvitation }
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
