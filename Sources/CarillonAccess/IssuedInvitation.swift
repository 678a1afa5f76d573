package import Carillon
package import CarillonDocuments
package import CarillonModel

/// An invitation with what the person who is invited gets: the link, and its QR code.
package struct IssuedInvitation: Sendable {
  package let entry: AccessEntry
  package let link: InviteLink
  /// The QR code of the link; nil if the library for it is not installed.
  package let code: QRCode?

  package init(_ entry: AccessEntry, _ link: InviteLink) {
    (self.entry, self.link, code) = (entry, link, QRCode(link.description))
  }

  /// The invitation as programs see it, with the secret that the link has.
  package var json: JSON {
    entry.json.merging([
      "link": .text(link),
      "qr": code.map { code in .array(code.rows) { .text($0.map { $0 ? "1" : "0" }.joined()) } }
        ?? .null,
    ])
  }
}

extension AccessFiles {
  /// Makes an invitation with a link to a service that runs.
  ///
  /// - Throws: As ``invite(_:seconds:at:)``.
  package func invite(
    _ role: AccessRole, seconds: Int64, to service: RunningServices.Service, at now: Instant
  ) throws(StoreError) -> IssuedInvitation {
    let (entry, code) = try invite(role, seconds: seconds, at: now)
    return IssuedInvitation(entry, service.link(code: code))
  }
}

extension AccessFiles.List {
  /// The list as programs see it.
  package var json: JSON {
    [
      "access": .array(entries) { $0.json },
      "damaged": .array(damaged) { .text($0.message) },
    ]
  }
}
