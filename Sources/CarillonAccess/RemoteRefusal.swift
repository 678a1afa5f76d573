import Carillon
import CarillonDocuments
import CarillonLog
import CarillonModel
package import Foundation

/// The refusal of a service that a store has joined, until a sync with it succeeds.
///
/// It is a file beside the credential, `remotes/HOST_PORT.json.refused`. A new credential removes
/// it.
package struct RemoteRefusal: Hashable, Sendable {
  /// What the service refused, and why.
  package let message: String
  /// What to try next.
  package let hint: String

  package init(message: String, hint: String) {
    (self.message, self.hint) = (message, hint)
  }

  /// Returns the refusals of all services that a store joined; unreadable files are left out.
  package static func all(of store: URL) -> [RemoteRefusal] {
    ((try? RemoteService.files(of: store)) ?? []).compactMap { RemoteRefusal(beside: $0) }
  }

  /// Reads the refusal beside a credential; nil if there is none, or it cannot be read.
  private init?(beside credential: URL) {
    guard let object = try? AccessFile.read(Self.path(beside: credential)),
      let message = object.text("message"), let hint = object.text("hint")
    else { return nil }
    self.init(message: message, hint: hint)
  }

  /// Writes the refusal beside a credential.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  package func save(beside credential: URL) throws {
    let path = Self.path(beside: credential)
    let document: JSON = ["message": .text(message), "hint": .text(hint)]
    try AccessFile.prepare(document, at: path).finish(replacing: path)
  }

  /// Removes the refusal beside a credential, if there is one.
  package static func remove(beside credential: URL) {
    unlink(path(beside: credential))
  }

  private static func path(beside credential: URL) -> String {
    credential.path + ".refused"
  }
}
