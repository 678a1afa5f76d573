/// What programs print for the person who invites.
package enum InvitationText {
  /// Returns a link, its QR code, and how to use them.
  ///
  /// - Parameters:
  ///   - role: The role that the link gives.
  ///   - isDevice: Whether the role is a kind of device.
  ///   - code: The lines of the QR code; nil if the library for it is not installed.
  ///   - end: When the link expires, as people read it.
  package static func text(
    _ link: String, for role: String, isDevice: Bool, code: [String]?, until end: String?,
    on terminal: Terminal
  ) -> String {
    // White and black also where the terminal is light.
    let (start, stop) = terminal.hasStyles ? ("\u{1B}[97;40m", "\u{1B}[0m") : ("", "")
    let image = code.map { $0.map { start + $0 + stop + "\n" }.joined() + "\n" } ?? ""
    let next =
      isDevice
      ? "Open it on the device. On a computer: carillon join \(ShellWord.quoted(link)) DIR "
        + "--replica NAME"
      : "Open it in the browser that is to show the store."
    return "This link invites a \(role), once\(end.map { ", until \($0)" } ?? ""):\n\n"
      + "\(image)\(link)\n\n\(next)\n"
  }

  /// Returns the flags of a service that only its own computer can reach which are missing for
  /// other devices.
  ///
  /// - Parameters:
  ///   - isSecure: Whether it has a certificate.
  ///   - isOpen: Whether it accepts connections of other computers.
  package static func missingFlags(isSecure: Bool, isOpen: Bool) -> String {
    let flags =
      (isOpen ? [] : ["--listen 0.0.0.0:8787"])
      + (isSecure ? [] : ["--tls-certificate FILE", "--tls-key FILE"])
    return (flags.isEmpty ? "" : flags.joined(separator: ", ") + " and ")
      + "--names NAME, by which they can reach it"
  }

  /// What a person can do who gets no QR code.
  package static let withoutCode =
    "For a QR code, install the library libqrencode (package libqrencode4)."
}
