#if Service
import Carillon
import CarillonAccess

extension Settings {
  /// Requires that the service could start: the store opens, its directory can have the files
  /// of a service, the certificate can be used, and Avahi runs if it is to announce the service.
  ///
  /// The address to listen on is not checked, since the running service uses it.
  ///
  /// - Throws: ``ServeFailure``.
  func check() async throws {
    do {
      try await Store.open(at: store).close()
      _ = try AccessFiles(of: store)
    } catch {
      throw ServeFailure(serving: error, naming: givenStore)
    }
    if let tls = server.tls { _ = try Certificate(tls, WebServer.logger(server)) { _ in } }
    if isDiscoverable { try await Discovery.requireAvahi() }
  }
}
#endif
