#if Service
import CarillonAccess
package import Foundation

/// The names under which the service may be reached.
package struct OwnHosts: Sendable {
  /// The host names in lower case; an address of IPv6 in brackets.
  private let names: Set<String>
  /// Whether this end of the connections has TLS.
  private let isSecure: Bool
  /// The host of the address at which a TLS proxy makes the service reachable, with its port unless
  /// that is 443; nil without a proxy.
  private let proxied: String?

  /// Creates the names of this computer for itself, and others.
  ///
  /// - Parameters:
  ///   - others: Further names.
  ///   - isSecure: Whether the service has TLS.
  ///   - publicAddress: The address at which a TLS proxy makes the service reachable.
  package init(and others: [String] = [], isSecure: Bool = false, publicAddress: URL? = nil) {
    names = Set(["127.0.0.1", "localhost", "[::1]"] + others.map { $0.lowercased() })
    self.isSecure = isSecure
    proxied = publicAddress?.host.map { host in
      let name = host.contains(":") && host.first != "[" ? "[\(host)]" : host
      return (name + (publicAddress?.port.map { ":\($0)" } ?? "")).lowercased()
    }
  }

  /// Whether a proxy on this computer passes requests on.
  var haveProxy: Bool { proxied != nil }

  /// Whether a host with its port, as in the header `Host`, is this service.
  func contain(_ authority: String, port: Int?) -> Bool {
    if isProxied(authority) { return true }
    var (host, given) = (Substring(authority), isSecure ? 443 : 80)
    if let colon = authority.lastIndex(of: ":"), authority.last != "]" {
      let digits = authority[authority.index(after: colon)...]
      // A number may also have a sign, which no port has.
      guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = UInt16(digits) else {
        return false
      }
      (host, given) = (authority[..<colon], Int(number))
    }
    return names.contains(host.lowercased()) && port.map { $0 == given } ?? true
  }

  /// Whether the connections of the clients that use a host have TLS.
  func areSecure(at authority: String) -> Bool { isSecure || isProxied(authority) }

  /// Returns the origin of the pages that are served under a host.
  func origin(of authority: String) -> String {
    (areSecure(at: authority) ? "https://" : "http://") + authority
  }

  private func isProxied(_ authority: String) -> Bool {
    let given = authority.lowercased()
    return proxied.map { $0 == given || "\($0):443" == given } ?? false
  }
}
#endif
