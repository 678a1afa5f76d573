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
  private let strangers = Mutex<LinkFailure?>(nil)

  init(_ place: ServicePlace) throws {
    self.place = place
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    // A key is checked in place of authorities and names.
    if place.key != nil { configuration.certificateVerification = .noHostnameVerification }
    // A broken connection cannot confirm its end.
    configuration.shutdownTimeout = .milliseconds(100)
    context = try NIOSSLContext(configuration: configuration)
  }

  /// Why a service was not recognized; nil if that has not happened.
  var refusal: LinkFailure? { strangers.withLock { $0 } }

  /// Adds the handlers of one connection.
  func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    try pipeline.addHandler(handler())
    try pipeline.addHandler(Refusals(trust: self))
  }

  private func refuse(_ problem: String, hint: String) {
    let failure = LinkFailure(
      status: .denied, code: "wrongKey", message: "\(place.text) \(problem)", hint: hint)
    strangers.withLock { $0 = failure }
  }

  private func handler() throws -> NIOSSLClientHandler {
    let name = isNumeric ? nil : place.host
    guard let key = place.key else {
      return try NIOSSLClientHandler(context: context, serverHostname: name)
    }
    return try NIOSSLClientHandler(
      context: context, serverHostname: name,
      customVerificationCallback: { [self] certificates, promise in
        promise.completeWith(
          Result {
            guard let leaf = certificates.first else { return .failed }
            let pin = KeyPin.text(ofPublicKey: try leaf.extractPublicKey().toSPKIBytes())
            guard pin == key else {
              refuse(
                "has the key \(pin), and not \(key), which is the service's that invited this "
                  + "device",
                hint: "do not trust it; if the link was typed, compare it with the invitation; if "
                  + "the service has a new key, ask for another invitation there (carillon invite "
                  + "--role ROLE)")
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

  /// What to do about a certificate that cannot be trusted.
  private var hint: String {
    // Without a credential, this device joins, by a link that has no key.
    place.credential == nil
      ? "ask for a link with the key of the service; a hub makes one with its own flags: carillon "
        + "hub invite ID --role ROLE --listen HOST:PORT --tls-certificate FILE --tls-key FILE"
      : "use the name in its certificate, or join with an invitation, which names its key"
  }

  /// Notes that the authorities of the system do not confirm a certificate, or its name.
  private final class Refusals: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let trust: ServiceTrust

    init(trust: ServiceTrust) {
      self.trust = trust
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      let isRefusal =
        error is NIOSSLExtraError || "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
      if isRefusal, trust.refusal == nil {
        trust.refuse(
          "has a certificate that cannot be trusted: "
            + (error is NIOSSLExtraError
              ? "it is for another name" : "no authority of this system confirms it"),
          hint: trust.hint)
      }
      context.fireErrorCaught(error)
    }
  }
}
#endif
