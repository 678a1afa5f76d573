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
      var document = try await RequestDocument(short: request)
      let code = try document.text("code")
      try document.finish()
      guard let code else {
        throw Problem.malformed("code is required", hint: "see /openapi.json")
      }
      guard let entry = try requesters.access.invitation(code, at: requesters.clock()) else {
        throw Problem.noInvitation
      }
      return Answer(["role": .text(entry.role.rawValue)])
    }
    group.post("join") { request, context in
      try rates.failed(context.client)
      var document = try await RequestDocument(short: request)
      let code = try document.text("code")
      let name = try document.text("name")
      let isSession = try document.bool("session") ?? false
      let isForReplica = try document.bool("replica") ?? false
      try document.finish()
      guard let code, let name else {
        throw Problem.malformed("code and name are required", hint: "see /openapi.json")
      }
      // They go with the invitation.
      let keys = try requesters.access.invitation(code, at: requesters.clock())?.keys
      let port = isSession ? try context.requirePort() : nil
      guard
        let (entry, secret) = try requesters.access.join(
          code, name: name, sessionAt: port, forReplica: isForReplica, at: requesters.clock())
      else {
        throw Problem.noInvitation
      }
      let sealed: JSON = keys.map { ["keys": .text($0)] } ?? [:]
      let members = sealed.merging([
        "role": .text(entry.role.rawValue), "store": .text(store.id), "device": .text(entry.id),
      ])
      guard let port else {
        return Answer((["credential": .text(secret)] as JSON).merging(members), .created)
          .response(from: request, context: context)
      }
      var response = Answer(members, .created).response(from: request, context: context)
      response.headers[.setCookie] = SessionCookie(port: port).header(
        secret, seconds: AccessFiles.sessionSeconds, isSecure: hosts.areSecure(for: request))
      return response
    }
  }
}

extension Problem {
  fileprivate static var noInvitation: Problem {
    Problem(
      .forbidden, code: "forbidden",
      detail: "the invitation does not exist, was used, or has expired",
      hint: "ask the owner for another invitation")
  }
}
#endif
