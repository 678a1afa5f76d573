/// Addresses of services.
package enum ServiceAddress {
  /// Whether a host is this computer itself; an address of IPv6 with or without its brackets.
  package static func isLoopback(_ host: String) -> Bool {
    let name = host.lowercased()
    if ["localhost", "::1", "[::1]"].contains(name) { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        part.utf8.allSatisfy { 0x30...0x39 ~= $0 } && UInt8(part) != nil
      }
  }
}
