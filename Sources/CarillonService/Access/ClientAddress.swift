#if Service
import Foundation

/// The address of a client, as far as limits distinguish it.
///
/// Of an address of IPv6, one client has the network of 64 bits.
package struct ClientAddress: Hashable, Sendable {
  /// Whether the client is on this computer.
  package let isLoopback: Bool
  private let network: [UInt8]

  /// Creates the address of a text; nil if it is no IP address.
  package init?(_ text: String) {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(four: withUnsafeBytes(of: &four) { Array($0) })
      return
    }
    var six = in6_addr()
    guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: &six) { Array($0) }
    if bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) {
      self.init(four: Array(bytes[12...]))
    } else {
      self.init(
        isLoopback: bytes == [UInt8](repeating: 0, count: 15) + [1],
        network: Array(bytes.prefix(8)))
    }
  }

  private init(four bytes: [UInt8]) {
    self.init(isLoopback: bytes[0] == 127, network: bytes)
  }

  private init(isLoopback: Bool, network: [UInt8]) {
    (self.isLoopback, self.network) = (isLoopback, network)
  }

  /// A client whose address is unknown.
  static let unknown = ClientAddress(isLoopback: false, network: [])
}
#endif
