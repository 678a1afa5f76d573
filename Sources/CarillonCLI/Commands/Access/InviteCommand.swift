import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Foundation

/// `carillon invite`: makes a link by which a device or a viewer gets access to a service.
struct InviteCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Invite a device or a viewer to a running service.",
    discussion: """
      Prints a link and its QR code. The link can be used once, until it expires. A viewer reads \
      everything and changes nothing. Any other role is a kind of device, which also syncs and \
      makes changes. A hub that this store has joined, given with --at, has no viewers.

      Examples:
        carillon invite --role phone
        carillon invite --role viewer --expires 2d
        carillon invite --role watch --at https://hub.example
      """)

  @OptionGroup var global: GlobalOptions
  @Option(
    help: ArgumentHelp(
      "phone, tablet, watch, desktop, server or viewer.", valueName: "role"))
  var role: Given<AccessRole>
  @Option(
    help: ArgumentHelp(
      "How long the link can be used, up to 7d (default: 15m).", valueName: "duration"))
  var expires: String?

  @OptionGroup var place: AccessPlaceFlags

  func run(_ call: Call) async throws {
    let role = try role.value(for: "--role")
    let seconds = try AccessEntry.seconds(expires, of: "--expires", or: CommandFailure.self)
    let hub = try await place.hub(call)
    try await call.withStore { store in
      if let hub {
        if role.device == nil { try await requireViewers(at: hub) }
        let (link, expires, json) = try await hub.invite(role, of: store, seconds: Int(seconds))
        return try answer(role, link, QRCode(link.description), until: expires, json, call)
      }
      let services = try RunningServices(of: store.directory).list()
      guard let service = services.first else {
        throw CommandFailure(
          status: .unreachable, code: "unreachable", message: "no service of the store is running",
          hint: "start one in another terminal, carillon serve; or name a hub that this store has "
            + "joined: --at https://host")
      }
      let invitation = try AccessFiles(of: store.directory).invite(
        role, of: store, seconds: seconds, to: service, at: call.storeOptions.clock())
      try answer(
        role, invitation.link, invitation.code, until: invitation.entry.expires, invitation.json,
        call)
      if service.isLoopback {
        call.output.note(
          "warning: only this computer can reach \(service.address.host ?? ""); for other devices, "
            + "start the service with "
            + InvitationText.missingFlags(
              isSecure: service.address.scheme == "https", isOpen: service.isOpen))
      }
    }
  }

  /// Requires that viewers can be invited: a service of another store has them, and a hub has none.
  ///
  /// - Throws: A usage error.
  private func requireViewers(at hub: JoinedHub) async throws {
    guard try await hub.list().use != nil else { return }
    let roles = AccessRole.allCases.filter { $0.device != nil }.map(\.rawValue)
    throw CommandFailure.badValue(
      "--role: a hub has no viewers, since it shows nothing",
      hint: "give one of \(roles.joined(separator: ", "))")
  }

  private func answer(
    _ role: AccessRole, _ link: InviteLink, _ code: QRCode?, until end: Instant?, _ json: JSON,
    _ call: Call
  ) throws {
    try call.output.answer(json, recorded: true) {
      guard !call.output.isQuiet else { return "\(link)\n" }
      return InvitationText.text(
        link.description, for: role.rawValue, isDevice: role.device != nil, code: code?.lines,
        until: end.map(call.output.time.text), on: call.output.terminal)
        + "To see who has access: \(call.output.carillon) access list"
        + (place.at.map { " --at \(ShellWord.quoted($0))" } ?? "") + "\n"
    }
    if code == nil {
      call.output.note(InvitationText.withoutCode)
    }
  }
}

extension AccessRole: NamedValue {}
