#if Service
import CarillonAccess
import CarillonDocuments
import Foundation
import NIOCore
import NIOSSL
import Synchronization

/// How a service is recognized over TLS: by the pin of its key, or else by the authorities of the
/// system and its name.
final class ServiceTrust: Sendable {
  private let place: ServicePlace
  private let context: NIOSSLContext
  private let strangerPin = Mutex<String?>(nil)

  init(_ place: ServicePlace) throws {
    self.place = place
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    // A broken connection cannot confirm its end.
    configuration.shutdownTimeout = .milliseconds(100)
    context = try NIOSSLContext(configuration: configuration)
  }

  /// Why the last service was not recognized by its key; nil if that has not happened.
  var refusal: LinkFailure? {
    strangerPin.withLock { $0 }.map { pin in
      LinkFailure(
        status: .denied, code: "wrongKey",
        message: "\(place.text) has another key than the service that invited this device: \(pin)",
        hint: "do not trust it; if the service has a new key, ask for another invitation there: "
          + "carillon invite")
    }
  }

  /// Returns the handler of one connection.
  func handler() throws -> NIOSSLClientHandler {
    let name = isNumeric ? nil : place.host
    guard let key = place.key else {
      return try NIOSSLClientHandler(context: context, serverHostname: name)
    }
    return try NIOSSLClientHandler(
      context: context, serverHostname: name,
      customVerificationCallback: { [strangerPin] certificates, promise in
        promise.completeWith(
          Result {
            guard let leaf = certificates.first else { return .failed }
            let pin = KeyPin.text(ofPublicKey: try leaf.extractPublicKey().toSPKIBytes())
            guard pin == key else {
              strangerPin.withLock { $0 = pin }
              return .failed
            }
            return .certificateVerified
          })
      })
  }

  /// Whether the host is an address, which is not sent as a name.
  private var isNumeric: Bool {
    (try? SocketAddress(ipAddress: place.host, port: 0)) != nil
  }
}
#endif
