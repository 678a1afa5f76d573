#if Service
import CarillonDocuments
import CarillonService
import Foundation
import Logging

/// The settings of the server, for a store or a hub.
struct ServerSettings {
  /// The certificate chain and the private key, as paths of PEM files.
  struct TLS {
    let certificate: String
    let key: String
  }

  /// A file of the settings that other users of the computer should not change.
  struct PrivateFile {
    let path: String
    /// Whether they should not read it either.
    let isSecret: Bool
  }

  let listen: ListenAddress
  let tls: TLS?
  /// Names under which the service may be reached, besides those of this computer for itself.
  let names: [HostName]
  /// The address at which a TLS proxy makes the service reachable; nil without a proxy.
  let publicAddress: URL?
  /// The file of the settings and the private key for TLS, as far as they are given.
  let privateFiles: [PrivateFile]
  let logLevel: Logger.Level
  var limits: ServiceLimits

  /// The settings that are paths of files.
  static let paths: Set = ["tls-certificate", "tls-key"]

  /// Reads all settings of the server.
  ///
  /// - Throws: ``ServeFailure`` that names the setting, where it comes from, and what is allowed.
  init(from reader: inout SettingReader) throws {
    listen = try Self.listen(&reader)
    tls = try Self.tls(&reader)
    names = try Self.names(&reader)
    publicAddress = try Self.publicAddress(&reader)
    logLevel = try Self.logLevel(&reader)
    limits = try ServiceLimits(from: &reader)
    let files = [
      reader.file.map { PrivateFile(path: $0, isSecret: reader.hasPasswordInFile) },
      tls.map { PrivateFile(path: $0.key, isSecret: true) },
    ]
    privateFiles = files.compactMap { $0 }
  }

  /// Requires TLS if other computers can reach the address.
  ///
  /// - Throws: ``ServeFailure``.
  func requireSecrecy(_ reader: SettingReader) throws(ServeFailure) {
    guard listen.isLoopback || tls != nil else {
      throw ServeFailure.usage(
        "\(reader.source(of: "listen")): \(listen.host) may be reached by other computers, which "
          + "requires TLS",
        hint: "give --tls-certificate and --tls-key, or listen on 127.0.0.1")
    }
  }

  /// Returns the address of the server at a port, without a proxy.
  func address(at port: Int) -> URL {
    let host = names.first?.text ?? (listen.isAny ? "localhost" : listen.webHost)
    let text = "\(tls == nil ? "http" : "https")://\(host):\(port)/"
    guard let address = URL(string: text) else { preconditionFailure("\(text) is no address") }
    return address
  }

  // MARK: -

  private static func listen(_ reader: inout SettingReader) throws -> ListenAddress {
    let text = try reader.text("listen", default: "127.0.0.1:8787")
    guard let address = ListenAddress(text) else {
      throw ServeFailure.usage(
        "\(reader.source(of: "listen")): \"\(text)\" is not a host and a port from 0 to 65535",
        hint: "give them as 127.0.0.1:8787 or [::1]:8787; port 0 takes any free port")
    }
    return address
  }

  private static func names(_ reader: inout SettingReader) throws -> [HostName] {
    try (reader.text("names") ?? "").split(separator: ",").map { part in
      let text = part.trimmingCharacters(in: .whitespaces)
      guard let name = HostName(text) else {
        throw ServeFailure.usage(
          "\(reader.source(of: "names")): \"\(text)\" is neither a host name nor an IP address",
          hint: "give names such as home.example or 192.168.1.20, without a port")
      }
      return name
    }
  }

  private static func publicAddress(_ reader: inout SettingReader) throws -> URL? {
    guard let text = try reader.text("public-address") else { return nil }
    guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https",
      let host = parts.host, let name = HostName(host), parts.user == nil, parts.password == nil,
      ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil,
      parts.port.map({ 1...65_535 ~= $0 }) ?? true,
      let address = URL(string: "https://\(name.text)\(parts.port.map { ":\($0)" } ?? "")/")
    else {
      throw ServeFailure.usage(
        "\(reader.source(of: "public-address")): \"\(text)\" is not https:// and a host",
        hint: "give the address of the proxy, such as https://habits.example")
    }
    return address
  }

  private static func tls(_ reader: inout SettingReader) throws -> TLS? {
    let certificate = try reader.text("tls-certificate")
    let key = try reader.text("tls-key")
    switch (certificate, key) {
    case (let certificate?, let key?): return TLS(certificate: certificate, key: key)
    case (nil, nil): return nil
    default:
      throw ServeFailure.usage(
        "\(certificate == nil ? "the certificate" : "the private key") for TLS is missing",
        hint: "give both --tls-certificate and --tls-key")
    }
  }

  private static func logLevel(_ reader: inout SettingReader) throws -> Logger.Level {
    let text = try reader.text("log-level", default: "notice")
    guard let level = Logger.Level(rawValue: text) else {
      throw ServeFailure.usage(
        "\(reader.source(of: "log-level")): \"\(text)\" is not a level of the log",
        hint: "give one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return level
  }
}
#endif
