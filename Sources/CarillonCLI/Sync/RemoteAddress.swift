import CarillonDocuments
import Foundation

/// A replica on another computer: `ssh://[user@]host[:port]/path`.
struct RemoteAddress: Hashable, Sendable {
  /// The address as it was given.
  let text: String
  /// The destination for ssh: `[user@]host`.
  let destination: String
  let port: Int?
  /// The store's directory there; a path relative to the home directory begins with `./`.
  let path: String

  /// Parses an address.
  ///
  /// - Throws: A usage error with the problem.
  init(_ text: String) throws(CommandFailure) {
    self.text = text
    guard let rest = text.wholeSuffix(after: "ssh://"), let slash = rest.firstIndex(of: "/") else {
      throw Self.refusal(text, "the address has no directory")
    }
    var host = rest[..<slash]
    var user: Substring?
    if let at = host.lastIndex(of: "@") {
      user = host[..<at]
      host = host[host.index(after: at)...]
    }
    let (name, port) = try Self.split(host, text)
    if let user { try Self.check(user, "user", text) }
    try Self.check(name, "host", text)
    destination = (user.map { "\($0)@" } ?? "") + name
    self.port = port
    path = try Self.path(rest[slash...], text)
  }

  /// Returns the arguments of the ssh command: port, destination, and the command to run there.
  ///
  /// - Parameter program: The remote `carillon`, in the remote shell's syntax.
  func arguments(program: String) -> [String] {
    (port.map { ["-p", "\($0)"] } ?? [])
      + [destination, "\(program) sync --stdio \(ShellWord.verbatim(path))"]
  }

  // MARK: -

  /// Splits the host from the port; an IPv6 address is in brackets.
  private static func split(
    _ host: Substring, _ text: String
  ) throws(CommandFailure) -> (Substring, Int?) {
    var name = host
    var digits: Substring?
    if host.first == "[" {
      guard let end = host.lastIndex(of: "]") else { throw refusal(text, "a closing ] is missing") }
      let rest = host[host.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { throw refusal(text, "the host is malformed") }
      name = host[host.index(after: host.startIndex)..<end]
      digits = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = host.firstIndex(of: ":") {
      name = host[..<colon]
      digits = host[host.index(after: colon)...]
    }
    guard let digits else { return (name, nil) }
    guard digits.allSatisfy(\.isNumber), let port = Int(digits), (1...65_535).contains(port) else {
      throw refusal(text, "the port is not a number from 1 to 65535")
    }
    return (name, port)
  }

  /// Checks a user or host; a name that begins with a dash would be an option to ssh.
  private static func check(
    _ name: Substring, _ kind: String, _ text: String
  ) throws(CommandFailure) {
    guard !name.isEmpty else { throw refusal(text, "the \(kind) is empty") }
    guard name.first != "-" else { throw refusal(text, "the \(kind) begins with a dash") }
    let isPlain = name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x40 }
    guard isPlain else { throw refusal(text, "the \(kind) contains an invalid character") }
  }

  private static func path(_ path: Substring, _ text: String) throws(CommandFailure) -> String {
    guard let decoded = String(path).removingPercentEncoding else {
      throw refusal(
        text, "a % in the path is not followed by two hexadecimal digits of a byte of UTF-8")
    }
    guard !decoded.contains("\0") else {
      throw refusal(text, "the path has a zero byte, %00, which no path may have")
    }
    guard let home = (decoded + (decoded == "/~" ? "/" : "")).wholeSuffix(after: "/~/") else {
      guard decoded != "/" else { throw refusal(text, "the address has no directory") }
      return decoded
    }
    return "./" + home
  }

  private static func refusal(_ text: String, _ problem: String) -> CommandFailure {
    .usage(
      "\(text): \(problem)",
      hint: "give ssh://[user@]host[:port]/path, or /~/path for the home directory")
  }
}

extension String {
  /// Returns the text after a prefix; nil if it does not begin with the prefix.
  fileprivate func wholeSuffix(after prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
