#if Service
import CarillonDocuments
import CarillonPostgres
import CarillonService

/// The settings of a hub.
struct HubSettings {
  let place: HubPlace
  /// The databases of further groups, by name.
  let groups: [String: String]
  let requiresCopies: Bool
  /// The most connections to the database of each group.
  let connectionCount: Int
  let server: ServerSettings

  /// Reads all settings.
  ///
  /// - Throws: ``ServeFailure`` that names the setting, where it comes from, and what is allowed.
  init(from reader: inout SettingReader) throws {
    place = try Self.place(&reader)
    groups = try Self.groups(&reader)
    requiresCopies = try reader.bool("require-copies")
    connectionCount = try reader.integer(
      "database-connections", default: PostgresOptions.usualConnectionCount, in: 2...1_000)
    var server = try ServerSettings(from: &reader)
    server.limits.hubRequests = try reader.integer(
      "max-waiting", default: server.limits.hubRequests, in: 1...1_000_000)
    self.server = server
    try reader.finish()
    try server.requireSecrecy(reader)
  }

  /// Reads where the database is.
  ///
  /// - Throws: ``ServeFailure``.
  static func place(_ reader: inout SettingReader) throws -> HubPlace {
    guard let text = try reader.text("database"), !text.isEmpty else {
      throw ServeFailure.usage(
        "no database is given",
        hint: "give --database with \(HubPlace.accepted), or set CARILLON_DATABASE")
    }
    return try HubPlace(text, from: reader.source(of: "database"))
  }

  private static func groups(_ reader: inout SettingReader) throws -> [String: String] {
    let text = try reader.text("groups") ?? ""
    let source = reader.source(of: "groups")
    var groups: [String: String] = [:]
    // A URL may have several hosts, between commas.
    for part in text.split(separator: /,(?=[^=,\/?&]+=|$)/) {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2,
        case .postgres(let url)? = try? HubPlace(String(pair[1]), from: source)
      else {
        // Without the group, which may have a password.
        throw ServeFailure.usage(
          "\(source): each group needs a name and a URL of PostgreSQL that is valid",
          hint: "give groups as two=postgres://host/carillon, separated by commas, and "
            + "percent-encode special characters, such as @ as %40")
      }
      groups[String(pair[0])] = url
    }
    return groups
  }
}
#endif
