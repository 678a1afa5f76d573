import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments
import Foundation

/// `carillon invite`: makes a link by which a device or a viewer gets access to a service.
struct InviteCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Invite a device or a viewer to a running service.",
    discussion: """
      Prints a link and its QR code. The link can be used once, until it expires. A viewer reads \
      everything and changes nothing. Any other role is a kind of device, which also syncs and \
      makes changes.

      Examples:
        carillon invite --role phone
        carillon invite --role viewer --expires 2d
      """)

  @OptionGroup var global: GlobalOptions
  @Option(
    help: ArgumentHelp(
      "phone, tablet, watch, desktop, server or viewer.", valueName: "role"))
  var role: Given<AccessRole>
  @Option(
    help: ArgumentHelp(
      "How long the link can be used, up to 7d (default: 15m).", valueName: "duration"))
  var expires: Given<DurationText>?

  private static let seconds =
    Int(AccessFiles.invitationSeconds.lowerBound)...Int(AccessFiles.invitationSeconds.upperBound)

  func run(_ call: Call) async throws {
    let role = try role.value(for: "--role")
    let seconds =
      try expires?.duration(for: "--expires", in: Self.seconds, such: "15m").seconds
      ?? Int(AccessFiles.usualInvitationSeconds)
    try await call.withStore { store in
      let services = try RunningServices(of: store.directory).list()
      guard let service = services.first else {
        throw CommandFailure(
          status: .unreachable, code: "unreachable", message: "no service of the store is running",
          hint: "start one in another terminal: carillon serve")
      }
      let invitation = try AccessFiles(of: store.directory).invite(
        role, of: store, seconds: Int64(seconds), to: service, at: call.storeOptions.clock())
      try call.output.answer(invitation.json, recorded: true) { text(invitation, call) }
      if service.isLoopback {
        call.output.warn(
          "only this computer can reach \(service.address.host ?? ""); for other devices, start "
            + "the service with --listen 0.0.0.0:8787, --names, --tls-certificate and --tls-key")
      }
      if invitation.code == nil {
        call.output.note("For a QR code, install the library libqrencode (package libqrencode4).")
      }
    }
  }

  /// Returns the code, white and black also where the terminal is light.
  private func text(_ code: QRCode, on terminal: Terminal) -> String {
    let (start, end) = terminal.hasStyles ? ("\u{1B}[97;40m", "\u{1B}[0m") : ("", "")
    return code.lines.map { start + $0 + end + "\n" }.joined() + "\n"
  }

  private func text(_ invitation: IssuedInvitation, _ call: Call) -> String {
    let (role, link) = (invitation.entry.role, invitation.link.description)
    let end = invitation.entry.expires.map { ", until \(call.output.time.text($0))" } ?? ""
    let next =
      role.device == nil
      ? "Open it in the browser that is to show the store."
      : "Open it on the device. On a computer: carillon join \(NextCommand.quoted(link)) DIR "
        + "--replica NAME"
    return "This link invites a \(role.rawValue), once\(end):\n\n"
      + (invitation.code.map { text($0, on: call.output.terminal) } ?? "") + "\(link)\n\n" + next
      + "\nTo see who has access: \(call.output.carillon) access list\n"
  }
}

extension AccessRole: NamedValue {}
