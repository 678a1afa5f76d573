#if Service
import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonHub
import CarillonModel
import CarillonService
import Foundation

/// `carillon hub invite`: makes the link by which a person's first device joins.
struct HubInvite: HubVerb {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Invite a device of a person.",
    discussion: """
      Prints a link and its QR code. The link can be used once. The person's devices invite all \
      later ones. The link has the address of the hub, so give --public-address, or the flags with \
      which the hub runs: --listen, --names, --tls-certificate and --tls-key; or --config.
      """)

  @Argument(help: "The ID of the person's store.")
  var person: String
  @Option(help: ArgumentHelp("phone, tablet, watch, desktop or server.", valueName: "role"))
  var role: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long the link can be used, up to 7d (default: 15m).", valueName: "duration"))
  var expires: String?
  @OptionGroup var place: HubDatabaseFlags
  @OptionGroup var server: ServerFlags
  @OptionGroup var output: ProgramOutput
  var givenPlace: String { place.given(server.config) }

  func perform() async throws {
    let id = try StoreID(person: person)
    guard let role = AccessRole(rawValue: role), role.device != nil else {
      throw ServeFailure.usage(
        "--role: \"\(role)\" is not a kind of device",
        hint: "give phone, tablet, watch, desktop or server")
    }
    let seconds = try AccessEntry.seconds(expires, of: "--expires", or: ServeFailure.self)
    var flags = server.given
    if let database = place.database { flags["database"] = database }
    var reader = try SettingReader(flags: flags, file: server.config, of: "carillon hub invite")
    let place = try HubSettings.place(&reader)
    let settings = try ServerSettings(from: &reader)
    try settings.requireSecrecy(reader)
    let service = try service(settings)
    let now = StoreOptions().clock()
    let (entry, code) = try AccessEntry.invitation(role, seconds: seconds, at: now)
    try await place.open().closing {
      try await $0.add(HubAccess(entry, of: id, secret: code), at: now)
    }
    let invitation = IssuedInvitation(entry, service.link(code: code.text))
    let time = LocalTime(zone: .gmt, now: now)
    output.answer(
      InvitationText.text(
        invitation.link.description, for: role.rawValue, isDevice: true,
        code: invitation.code?.lines, until: entry.expires.map { "\(time.text($0)) UTC" },
        on: .standardOutput),
      invitation.json, quietly: "\(invitation.link)\n")
    if invitation.code == nil { output.note(InvitationText.withoutCode) }
    if service.isLoopback {
      output.note(
        "warning: only this computer can reach \(service.address.host ?? ""); for other devices, "
          + "give the address of the hub: --public-address https://hub.example; or, as the hub has "
          + "them, "
          + InvitationText.missingFlags(isSecure: settings.tls != nil, isOpen: service.isOpen))
    }
  }

  /// Returns where devices reach the hub.
  private func service(_ settings: ServerSettings) throws -> RunningServices.Service {
    guard settings.publicAddress != nil || settings.listen.port != 0 else {
      throw ServeFailure.usage(
        "the port of the hub is not known",
        hint: "give --public-address, or the port: --listen 127.0.0.1:8787")
    }
    let address = HubAddress(isOpen: !settings.listen.isLoopback)
    address.set(settings.publicAddress ?? settings.address(at: settings.listen.port))
    let logger = WebServer.logger(settings)
    if let tls = settings.tls, settings.publicAddress == nil {
      _ = try Certificate(tls, logger) { address.setKey($0) }
    }
    guard let service = address.service else { preconditionFailure("the address was set") }
    return service
  }
}
#endif
