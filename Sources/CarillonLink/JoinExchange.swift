#if Service
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Foundation
import HTTPTypes

/// The exchange of an invitation for a credential.
///
/// The request comes on standard input and the answer goes to standard output, since both have
/// secrets: `{"address","key","code","name","credential"}`, and the answer of the service.
/// Without a name, the service only says what the invitation is for.
struct JoinExchange: Sendable {
  private let connector: Connector
  private let path: String
  private let body: JSON

  private static let patience = Duration.seconds(15)
  private static let answerLimit = Duration.seconds(30)
  private static let maxBytes = 16_384
  private static let lostHint = "run the same command again, which goes on with the join"

  /// Reads the request.
  ///
  /// - Throws: ``LinkFailure`` if it is malformed.
  init(reading input: FileHandle) throws {
    let bytes = try input.read(upToCount: Self.maxBytes) ?? Data()
    guard case .object(let request)? = try? JSONValue(parsing: bytes),
      case .text(let text)? = request["address"], let address = URL(string: text),
      let code = request["code"]
    else {
      throw LinkFailure(
        status: .usage, code: "usage", message: "the request has no address or code",
        hint: "use the verb join, which starts this program")
    }
    let key: String? = if case .text(let key)? = request["key"] { key } else { nil }
    connector = try Connector(
      ServicePlace(address, key: key, credential: nil), patience: Self.patience,
      repeatsRefused: false)
    guard let name = request["name"] else {
      (path, body) = ("/v1/join/check", ["code": code])
      return
    }
    // An invitation for a viewer is then refused before it is used up.
    (path, body) = (
      "/v1/join",
      [
        "code": code, "name": name, "replica": .bool(true),
        "credential": request["credential"] ?? .null,
      ]
    )
  }

  /// Returns the answer of the service, a JSON object.
  ///
  /// The request is sent once; who made the credential can repeat it.
  ///
  /// - Throws: ``LinkFailure``.
  func run() async throws -> String {
    let place = connector.place
    let answer: ServiceAnswer
    do {
      answer = try await connector.withConnection(Liveness(checksIdle: true)) { connection in
        try await connection.ask(
          .post, path, accept: "application/json", body: Array(body.line.utf8),
          type: "application/json", within: Self.answerLimit)
      }
    } catch var failure as LinkFailure {
      if failure.status == .unreachable {
        failure.hint =
          "check that the service runs and that the address is right, then join again; the "
          + "invitation was not used"
      }
      throw failure
    } catch {
      throw LinkFailure(
        status: .unreachable, code: "unreachable",
        message: "the answer of \(place.text) was lost: \(error)", hint: Self.lostHint)
    }
    switch answer.refusal {
    case .end(let failure): throw failure
    case .wait(_, var failure):
      failure.hint = "join again later; the invitation was not used"
      throw failure
    case .lost(var failure):
      failure.hint = Self.lostHint
      throw failure
    case nil: break
    }
    guard let object = answer.object else {
      throw LinkFailure.malformed("\(place.text) answered the invitation with something else")
    }
    return JSON.object(object).line
  }
}
#endif
