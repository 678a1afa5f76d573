#if Service
/// The address at which the program accepts connections: a host and a port.
struct ListenAddress {
  /// The host; an address of IPv6 without its brackets.
  let host: String
  /// The port; 0 for any free one.
  let port: Int

  /// Creates an address from a text such as `127.0.0.1:8787` or `[::1]:0`; nil for any other text.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.first == "[", host.last == "]" {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    (self.host, self.port) = (String(host), Int(port))
  }

  /// Whether only this computer can reach the address.
  var isLoopback: Bool {
    ["localhost", "::1"].contains(host)
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }

  /// The host as in an address of the web.
  var webHost: String { host.contains(":") ? "[\(host)]" : host }
}
#endif
