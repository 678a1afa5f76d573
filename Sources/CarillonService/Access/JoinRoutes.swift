#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird
import Synchronization

/// `POST /v1/join` exchanges the code of an invitation for a credential, once.
///
/// A device that made the credential itself can repeat its exchange.
///
/// `POST /v1/join/check` says what an invitation is for, and leaves it unused.
struct JoinRoutes {
  let store: Store
  let requesters: Requesters
  let rates: AccessRates
  let hosts: OwnHosts
  /// Exchanges are made one after the other, so that a repeated one finds what the first one did.
  private let exchanges = Exchanges()

  private final class Exchanges: Sendable { let lock = Mutex(()) }

  init(store: Store, requesters: Requesters, rates: AccessRates, hosts: OwnHosts) {
    (self.store, self.requesters, self.rates, self.hosts) = (store, requesters, rates, hosts)
  }

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
      let (keys, joined) = try exchanges.lock.withLock { _ in
        try requesters.withFiles { access throws(StoreError) in
          // They go with the invitation.
          let keys = try access.invitation(asked.code, at: requesters.clock())?.keys
          let joined = try access.join(
            asked.code, name: asked.name, sessionAt: port, forReplica: asked.isForReplica,
            credential: asked.credential, at: requesters.clock())
          return (keys, joined)
        }
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
