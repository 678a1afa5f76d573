#if Service
import CarillonAccess

/// The address at which the program accepts connections: a host and a port.
struct ListenAddress {
  /// The host; an address of IPv6 without its brackets.
  let host: String
  /// The port; 0 for any free one.
  let port: Int

  /// Creates an address from a text such as `127.0.0.1:8787` or `[::1]:0`; nil for any other text.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = UInt16(digits),
      let name = HostName(String(text[..<colon])),
      // The port of an IPv6 address without brackets looks like its last group.
      (name.text.first == "[") == (text.first == "[")
    else { return nil }
    host = name.text.first == "[" ? String(name.text.dropFirst().dropLast()) : name.text
    self.port = Int(port)
  }

  /// Whether only this computer can reach the address.
  var isLoopback: Bool { ServiceAddress.isLoopback(host) }

  /// Whether the address is that of all networks of this computer.
  var isAny: Bool { ["0.0.0.0", "::"].contains(host) }

  /// The host at which this computer reaches the address.
  var nearHost: String { isAny ? (host == "::" ? "::1" : "127.0.0.1") : host }

  /// The host as in an address of the web.
  var webHost: String { host.contains(":") ? "[\(host)]" : host }
}
#endif
