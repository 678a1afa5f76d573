#if Service
import CarillonAccess
import CarillonModel
import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The cookie by which a browser is recognized; browsers send the cookies of a host to all its
/// ports, so its name has the port.
struct SessionCookie {
  /// The port of the service.
  let port: Int

  /// The name of the cookie.
  private var name: String { "carillon-\(port)" }

  /// Returns the values that a request has.
  func values(in request: Request) -> [Substring] {
    request.headers[values: .cookie].flatMap { header in
      header.split(separator: ";").compactMap { pair in
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        return parts.count == 2 && parts[0] == name ? parts[1] : nil
      }
    }
  }

  /// Returns the value of `Set-Cookie`; an empty value removes the cookie.
  ///
  /// - Parameter seconds: How long the browser keeps it.
  func header(_ value: String, seconds: Int64, isSecure: Bool) -> String {
    "\(name)=\(value); Path=/; Max-Age=\(value.isEmpty ? 0 : seconds); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }
}

/// The session of the owner's browser: valid for one port and for a time.
///
/// Its value is the end of the session, and a code that only the holder of the token can make. So
/// sessions outlive a restart, several processes accept them, and no cookie contains the token.
struct OwnerSession {
  let token: AccessToken
  let port: Int

  static let seconds: Int64 = 30 * 86_400

  /// Returns the value of a session that begins.
  func value(at now: Instant) -> String {
    let end = now.milliseconds / 1000 + Self.seconds
    return "\(end).\(Data(code(of: end)).base64URL)"
  }

  /// Whether a value is that of a session that has not ended.
  func isValid(_ value: Substring, at now: Instant) -> Bool {
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
}
#endif
