#if Service
import CarillonAccess
import CarillonModel
import Crypto
import Foundation

/// The session of a browser: a cookie that is valid for one port and for a time.
///
/// Its value is the end of the session, and a code that only the holder of the token can make. So
/// sessions outlive a restart, several processes accept them, and no cookie contains the token.
struct Session {
  let token: AccessToken
  /// The port of the service; browsers send the cookies of a host to all its ports.
  let port: Int

  private static let seconds: Int64 = 30 * 86_400

  /// The name of the cookie.
  var name: String { "carillon-\(port)" }

  /// Returns the value of `Set-Cookie` that begins a session.
  func cookie(at now: Instant, isSecure: Bool) -> String {
    let end = now.milliseconds / 1000 + Self.seconds
    return cookie("\(end).\(Data(code(of: end)).base64URL)", maxAge: Self.seconds, isSecure)
  }

  /// Returns the value of `Set-Cookie` that ends a session.
  func removal(isSecure: Bool) -> String { cookie("", maxAge: 0, isSecure) }

  /// Whether a header `Cookie` has a valid session.
  func isNamed(in header: String, at now: Instant) -> Bool {
    header.split(separator: ";").contains { pair in
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && parts[0] == name && isValid(parts[1], at: now)
    }
  }

  private func isValid(_ value: Substring, at now: Instant) -> Bool {
    let parts = value.split(separator: ".")
    guard parts.count == 2, let end = Int64(parts[0]), let code = Data(base64URL: parts[1]) else {
      return false
    }
    let isAuthentic = HMAC<SHA256>.isValidAuthenticationCode(
      code, authenticating: text(of: end), using: token.key)
    return isAuthentic && now.milliseconds / 1000 < end
  }

  private func code(of end: Int64) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(for: text(of: end), using: token.key)
  }

  private func text(of end: Int64) -> Data { Data("carillon.session.v1 \(port) \(end)".utf8) }

  private func cookie(_ value: String, maxAge: Int64, _ isSecure: Bool) -> String {
    "\(name)=\(value); Path=/; Max-Age=\(maxAge); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }
}
#endif
