#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import Foundation

/// Where a service is, how it is recognized, and the secret that it expects.
struct ServicePlace: Sendable {
  /// The address, for messages.
  let text: String
  let isSecure: Bool
  let host: String
  let port: Int
  /// The part of the path before `/v1`, without a slash at its end.
  let path: String
  /// The pin of the service's key; nil if the authorities of the system confirm its certificate.
  let key: String?
  /// The secret of this device; nil before it has one.
  let credential: String?

  /// - Throws: ``LinkFailure`` for an address that is not `https`, or `http` on this computer.
  init(_ address: URL, key: String?, credential: String?) throws(LinkFailure) {
    guard let host = address.host(percentEncoded: false), !host.isEmpty,
      let scheme = address.scheme, ["https", "http"].contains(scheme)
    else {
      throw LinkFailure(
        status: .usage, code: "usage", message: "\(address) is not the address of a service",
        hint: "give https://host[:port][/path]")
    }
    isSecure = scheme == "https"
    guard isSecure || ServiceAddress.isLoopback(host) else {
      throw LinkFailure(
        status: .usage, code: "usage",
        message: "\(address) has http:// for another computer, which others could read",
        hint: "give its https:// address")
    }
    (self.host, self.key, self.credential) = (host, key, credential)
    port = address.port ?? (isSecure ? 443 : 80)
    let path = address.path(percentEncoded: true)
    self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
    text = "\(scheme)://\(Self.bracketed(host)):\(port)\(self.path)"
  }

  /// The host and port for the header field `Host`.
  var authority: String {
    let isUsual = port == (isSecure ? 443 : 80)
    return Self.bracketed(host) + (isUsual ? "" : ":\(port)")
  }

  private static func bracketed(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
  }
}
#endif
