#if Service
/// The names under which the service may be reached.
package struct OwnHosts: Sendable {
  /// The host names in lower case; an address of IPv6 in brackets.
  let names: Set<String>
  /// Whether the service is reached over TLS.
  let isSecure: Bool

  /// Creates the names of this computer for itself, and others.
  package init(and others: [String] = [], isSecure: Bool = false) {
    names = Set(["127.0.0.1", "localhost", "[::1]"] + others.map { $0.lowercased() })
    self.isSecure = isSecure
  }

  /// Whether a host with its port, as in the header `Host`, is this service.
  func contain(_ authority: String, port: Int?) -> Bool {
    var (host, given) = (Substring(authority), isSecure ? 443 : 80)
    if let colon = authority.lastIndex(of: ":"), authority.last != "]" {
      guard let number = Int(authority[authority.index(after: colon)...]) else { return false }
      (host, given) = (authority[..<colon], number)
    }
    return names.contains(host.lowercased()) && port.map { $0 == given } ?? true
  }

  /// Returns the origin of the pages that are served under a host.
  func origin(of authority: String) -> String {
    (isSecure ? "https://" : "http://") + authority
  }
}
#endif
