#if Service
import CarillonTestSupport
import Foundation
import Testing

/// Verbs of the command line that use a service, on the stores of a bench.
extension ServiceBench {
  /// Starts a verb with a credential.
  func start(_ arguments: [String], credential: String? = nil) async throws -> StartedProgram {
    try await StartedProgram(
      BuiltProgram.url("carillon"), arguments, in: self,
      environment: credential.map { ["CARILLON_CREDENTIAL": $0] } ?? [:])
  }

  /// Runs a verb with a credential until it ends.
  func link(_ arguments: String..., credential: String? = nil) async throws -> EndedProgram {
    try await start(arguments, credential: credential).end()
  }

  /// Adds a habit to a store.
  func add(_ title: String, to store: String = "phone") async throws {
    let answer = try await link("habit", "add", title, "--store", path(store))
    try #require(answer.status == 0, "\(answer)")
  }

  /// The digest of a store's state, which is equal for equal events.
  func digest(_ store: String = "phone") async throws -> String {
    let status = try await link("status", "--json", "--digest", "--store", path(store))
    return try String(
      #require(status.output.firstMatch(of: /"stateDigest":"([0-9a-f]+)"/), "\(status)").output.1)
  }

  /// Expects two stores to have the same state.
  func expectSame(_ one: String, _ other: String) async throws {
    let (first, second) = (try await digest(one), try await digest(other))
    #expect(first == second)
  }

  /// Waits until two stores have the same state.
  func becomeSame(_ one: String, _ other: String) async throws {
    while try await digest(one) != digest(other) { try await Task.sleep(for: .milliseconds(20)) }
  }

  /// Makes a link that invites a device.
  func invite(_ role: String) async throws -> String {
    let answer = try await run("invite", "--role", role, "--json")
    return try String(
      #require(answer.output.firstMatch(of: /"link":"([^"]+)"/), "\(answer)").output.1
    )
    .replacing("\\/", with: "/")
  }

  /// Starts the service over TLS, with a certificate that signs itself.
  func serveSecurely(_ arguments: String...) async throws -> RunningService {
    let made = try await Shell.run(
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 2 \
        -keyout link.key -out link.pem -subj /CN=somewhere.else
      """, in: self)
    try #require(made.status == 0, "\(made)")
    let certificate = ["--tls-certificate", path("link.pem"), "--tls-key", path("link.key")]
    return try await RunningService(
      StartedProgram(service: certificate + arguments, in: self))
  }

  func mode(of path: String) throws -> Int {
    try #require(
      FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }
}

extension StartedProgram {
  /// Waits until it has printed something.
  func prints(_ text: String) async throws {
    while !output.contains(text), process.isRunning {
      try await Task.sleep(for: .milliseconds(5))
    }
    try #require(output.contains(text), "\(output)\(errors)")
  }

  /// Waits until it has reported something on standard error.
  func reports(_ text: String) async throws {
    while !errors.contains(text), process.isRunning {
      try await Task.sleep(for: .milliseconds(5))
    }
    try #require(errors.contains(text), "\(output)\(errors)")
  }
}
#endif
