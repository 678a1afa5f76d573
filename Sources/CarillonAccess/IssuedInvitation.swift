package import Carillon
package import CarillonDocuments
package import CarillonModel
import Foundation

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
      "qr": code?.json ?? .null,
    ])
  }
}

extension QRCode {
  /// The rows from the top, each as digits, 1 for a dark module.
  package var json: JSON { .array(rows) { .text($0.map { $0 ? "1" : "0" }.joined()) } }
}

extension AccessFiles {
  /// Makes an invitation with a link to a service of a store that runs.
  ///
  /// An invited device gets the keys of a sealed store; a viewer needs none.
  ///
  /// - Throws: As ``invite(_:seconds:keys:at:)``; `missingKeys`.
  package func invite(
    _ role: AccessRole, of store: Store, seconds: Int64, to service: RunningServices.Service,
    at now: Instant
  ) throws(StoreError) -> IssuedInvitation {
    let sealed = try role.device == nil ? nil : store.keysForInvitation()
    let (entry, code) = try invite(
      role, seconds: seconds, keys: sealed.map { Data($0.keys).base64EncodedString() }, at: now)
    let secret = sealed.map { Data($0.secret).base64URL }
    return IssuedInvitation(entry, service.link(code: code, secret: secret))
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
