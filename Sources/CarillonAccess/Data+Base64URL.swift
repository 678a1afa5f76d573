package import Foundation

extension Data {
  /// The bytes as base64 for addresses, without padding (RFC 4648, section 5).
  package var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// Creates the bytes of such a text; nil for any other text.
  package init?(base64URL text: some StringProtocol) {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    self.init(
      base64Encoded: String(text).replacing("-", with: "+").replacing("_", with: "/") + padding)
  }

  /// Returns random bytes that nobody can guess.
  package static func random(count: Int) -> Data {
    var generator = SystemRandomNumberGenerator()
    return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }
}
