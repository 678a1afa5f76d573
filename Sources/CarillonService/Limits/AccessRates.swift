#if Service
import CarillonAccess
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

/// How many requests a service answers: for each credential, for each address, for each address
/// without a valid credential, and, at a hub, for each person.
///
/// The owner on this computer is not limited.
final class AccessRates: Sendable {
  private let limits: ServiceLimits
  private let credentials: RateLimit<AccessID>
  private let people: RateLimit<StoreID>
  private let addresses: RateLimit<ClientAddress>
  private let failures: RateLimit<ClientAddress>

  init(_ limits: ServiceLimits) {
    self.limits = limits
    // A page loads all its files at once.
    let (rate, burst) = (Double(limits.requests), 4 * Double(limits.requests))
    credentials = RateLimit(rate: rate, burst: burst)
    people = RateLimit(rate: 2 * rate, burst: 2 * burst)
    addresses = RateLimit(rate: rate, burst: burst)
    failures = RateLimit(rate: Double(limits.failures) / 60, burst: Double(limits.failures))
  }

  /// Counts a request of a credential.
  ///
  /// - Throws: ``Problem`` `tooMany`.
  func requested(by id: AccessID) throws(Problem) {
    try require(
      credentials.take(id), "\(limits.requests.counted("request")) a second of a credential",
      "max-requests")
  }

  /// Counts a request of a person's device.
  ///
  /// All devices of a person together may make twice as many requests as one.
  ///
  /// - Throws: ``Problem`` `tooMany`.
  func requested(by person: StoreID) throws(Problem) {
    try require(
      people.take(person), "\((2 * limits.requests).counted("request")) a second of a person",
      "max-requests")
  }

  /// Counts a request from an address.
  ///
  /// - Throws: ``Problem`` `tooMany`.
  func requested(from client: ClientAddress) throws(Problem) {
    guard !client.isLoopback else { return }
    try require(
      addresses.take(client), "\(limits.requests.counted("request")) a second from an address",
      "max-requests")
  }

  /// Counts a request without a valid credential, or an attempt to join.
  ///
  /// - Throws: ``Problem`` `tooMany`.
  func failed(_ client: ClientAddress) throws(Problem) {
    try require(
      failures.take(client),
      "\(limits.failures.counted("request")) a minute without a credential from an address",
      "max-failures")
  }

  private func require(_ wait: Int?, _ limit: String, _ setting: String) throws(Problem) {
    guard let wait else { return }
    throw Problem(
      .tooManyRequests, code: "tooMany", detail: "the limit of \(limit) is reached",
      hint: "wait, or set the limit \(setting)", retryAfter: wait)
  }
}

/// Finds the address of the client, and refuses it if it makes too many requests.
struct AddressMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  let rates: AccessRates
  let hosts: OwnHosts

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    if hosts.haveProxy, context.client.isLoopback,
      let passed = request.headers[.unchecked("X-Forwarded-For")]
    {
      // Only the last address is the proxy's word; those before are the client's.
      let last = passed.split(separator: ",").last?.filter { $0 != " " } ?? ""
      context.client = ClientAddress(last) ?? .unknown
    }
    try rates.requested(from: context.client)
    return try await next(request, context)
  }
}
#endif
