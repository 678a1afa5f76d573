import Foundation

/// A replica on another computer: `ssh://[user@]host[:port]/path`.
struct RemoteAddress: Hashable, Sendable {
  /// As it was given.
  let text: String
  /// What ssh connects to: `[user@]host`.
  let destination: String
  let port: Int?
  /// The store's directory there; one below the home directory begins with `./`.
  let path: String

  /// Takes an address apart.
  ///
  /// - Throws: A usage error that says what is wrong with it.
  init(_ text: String) throws(CommandFailure) {
    self.text = text
    guard let rest = text.wholeSuffix(after: "ssh://"), let slash = rest.firstIndex(of: "/") else {
      throw Self.refusal(text, "it names no directory there")
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

  /// The words behind the ssh command: port, destination, and what is to be run there.
  ///
  /// - Parameter program: The remote `carillon`, as the remote shell takes it.
  func arguments(program: String) -> [String] {
    (port.map { ["-p", "\($0)"] } ?? [])
      + [destination, "\(program) sync --stdio \(CommandWords.quoted(path))"]
  }

  // MARK: -

  /// Takes the port off; an IPv6 address stands in brackets.
  private static func split(
    _ host: Substring, _ text: String
  ) throws(CommandFailure) -> (Substring, Int?) {
    var name = host
    var digits: Substring?
    if host.first == "[" {
      guard let end = host.lastIndex(of: "]") else { throw refusal(text, "a ] is missing") }
      let rest = host[host.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { throw refusal(text, "its host is unclear") }
      name = host[host.index(after: host.startIndex)..<end]
      digits = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = host.firstIndex(of: ":") {
      name = host[..<colon]
      digits = host[host.index(after: colon)...]
    }
    guard let digits else { return (name, nil) }
    guard digits.allSatisfy(\.isNumber), let port = Int(digits), (1...65_535).contains(port) else {
      throw refusal(text, "its port is no number from 1 to 65535")
    }
    return (name, port)
  }

  /// A name that begins with a dash would be an option to ssh.
  private static func check(
    _ name: Substring, _ kind: String, _ text: String
  ) throws(CommandFailure) {
    guard !name.isEmpty else { throw refusal(text, "its \(kind) is empty") }
    guard name.first != "-" else { throw refusal(text, "its \(kind) begins with a dash") }
    let isPlain = name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x40 }
    guard isPlain else { throw refusal(text, "its \(kind) holds a character that no \(kind) has") }
  }

  private static func path(_ path: Substring, _ text: String) throws(CommandFailure) -> String {
    guard let decoded = String(path).removingPercentEncoding, !decoded.contains("\0") else {
      throw refusal(text, "a % in its path is not followed by two hexadecimal digits")
    }
    guard let home = (decoded + (decoded == "/~" ? "/" : "")).wholeSuffix(after: "/~/") else {
      guard decoded != "/" else { throw refusal(text, "it names no directory there") }
      return decoded
    }
    return "./" + home
  }

  private static func refusal(_ text: String, _ problem: String) -> CommandFailure {
    .usage("\(text): \(problem)", hint: "write ssh://[user@]host[:port]/path, or /~/path from home")
  }
}

extension String {
  /// What follows a prefix; nil where the text does not begin with it.
  fileprivate func wholeSuffix(after prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
