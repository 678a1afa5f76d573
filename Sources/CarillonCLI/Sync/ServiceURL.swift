import CarillonAccess
import CarillonDocuments
import Foundation

/// The address of a service: `https://host[:port][/path]`, or `http` on this computer.
struct ServiceURL: Hashable, Sendable {
  /// The address as it was given.
  let text: String
  let url: URL

  /// Parses an address.
  ///
  /// - Throws: A usage error with the problem.
  init(_ text: String) throws(CommandFailure) {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
      parts.port.map({ 1...65_535 ~= $0 }) ?? true, let url = parts.url
    else { throw Self.refusal(text, "this is not the address of a service") }
    guard parts.scheme == "https" || ServiceAddress.isLoopback(host) else {
      throw Self.refusal(text, "http:// is only for a service on this computer")
    }
    (self.text, self.url) = (text, url)
  }

  /// Creates the address of a service that the store knows.
  init(_ remote: RemoteService) {
    (text, url) = (remote.address.absoluteString, remote.address)
  }

  private static func refusal(_ text: String, _ problem: String) -> CommandFailure {
    text.contains("#")
      ? .usage(
        "\(text.prefix { $0 != "#" }): this is the link of an invitation, not an address",
        hint: "join with it: carillon join 'LINK' DIR --replica NAME")
      : .usage("\(text): \(problem)", hint: "give https://host[:port][/path]")
  }
}
