#if Service
import Carillon
import CarillonDocuments
import Foundation

/// The settings of the service of a store.
struct Settings {
  let store: URL
  /// The store as it is given; nil if commands without `--store` find it, by the environment or by
  /// default.
  let givenStore: String?
  /// The time zone of the device; nil for the system's.
  let zone: TimeZone?
  /// Whether to announce the service in the local network.
  let isDiscoverable: Bool
  let server: ServerSettings

  /// The settings that are paths of files or directories.
  static let paths = ServerSettings.paths.union(["store"])

  /// Reads all settings.
  ///
  /// - Throws: ``ServeFailure`` that names the setting, where it comes from, and what is allowed.
  init(from reader: inout SettingReader) throws {
    store = try Self.store(&reader)
    let isFound = ["CARILLON_STORE", "default"].contains(reader.source(of: "store"))
    givenStore = isFound ? nil : store.relativePath
    zone = try Self.zone(&reader)
    isDiscoverable = try reader.bool("discover")
    server = try ServerSettings(from: &reader)
    try reader.finish()
    try server.requireSecrecy(reader)
    guard !isDiscoverable || !server.listen.isLoopback else {
      throw ServeFailure.usage(
        "\(reader.source(of: "discover")): other computers cannot reach \(server.listen.host), so "
          + "there is nothing to announce",
        hint: "listen on an address of the network: --listen 0.0.0.0:8787")
    }
  }

  // MARK: -

  private static func store(_ reader: inout SettingReader) throws -> URL {
    let place = StorePlace(given: try reader.text("store"))
    let directory = try place.existing(or: ServeFailure.self)
    if !place.isGiven { _ = try reader.text("store", default: directory.relativePath) }
    return directory
  }

  private static func zone(_ reader: inout SettingReader) throws -> TimeZone? {
    guard let name = try reader.text("zone") else {
      _ = try TimeZone.device(or: ServeFailure.self)
      return nil
    }
    guard let zone = TimeZone(identifier: name) else {
      throw ServeFailure.usage(
        "\(reader.source(of: "zone")): \"\(name)\" is not a name of the time zone database",
        hint: "give a name such as Europe/Berlin")
    }
    return zone
  }
}
#endif
