#if Service
import Foundation

/// A name or an IP address under which the service may be reached, without a port.
struct HostName: Hashable {
  /// The name in lower case; an address of IPv6 in brackets.
  let text: String

  /// Creates the name of a text; nil if it is neither a host name nor an IP address.
  init?(_ given: String) {
    var text = given.lowercased()
    if text.first == "[", text.last == "]" { text = String(text.dropFirst().dropLast()) }
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET6, text, &six) == 1 {
      self.text = "[\(text)]"
    } else if given.first != "[", inet_pton(AF_INET, text, &four) == 1 || Self.isName(text) {
      self.text = text
    } else {
      return nil
    }
  }

  /// The bytes of the address; nil for a name.
  var address: [UInt8]? {
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
    guard text.first == "[", inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &six) == 1
    else { return nil }
    return withUnsafeBytes(of: &six) { Array($0) }
  }

  /// Whether the name of a certificate, which may begin with `*.`, covers the name.
  func isCovered(by pattern: String) -> Bool {
    let pattern = pattern.lowercased()
    guard pattern.hasPrefix("*.") else { return pattern == text }
    return text.firstIndex(of: ".").map { text[$0...] == pattern.dropFirst() } ?? false
  }

  private static func isName(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= 253
      // A last label of digits would be a malformed address.
      && labels.last?.utf8.contains { !(0x30...0x39 ~= $0) } == true
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.utf8.allSatisfy {
            0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D || $0 == 0x5F
          }
      }
  }
}
#endif
