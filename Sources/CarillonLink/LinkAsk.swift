#if Service
import ArgumentParser
import CarillonDocuments
import CarillonModel
import Foundation
import HTTPTypes

/// Sends one request to a service, and prints the answer, a JSON object.
struct LinkAsk: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask",
    abstract: "Send one request to a service, with the body from standard input.")

  @OptionGroup var service: GivenService

  @Option(help: "GET, POST or DELETE.")
  var method: String

  @Option(help: "The path, such as /v1/access.")
  var path: String

  private static let patience = Duration.seconds(15)
  private static let answerLimit = Duration.seconds(30)
  private static let maxBodyBytes = 16_384

  func run() async throws {
    guard let method = HTTPRequest.Method(rawValue: method) else {
      throw LinkFailure(
        status: .usage, code: "usage", message: "\(method) is not a method",
        hint: "give GET, POST or DELETE")
    }
    let body =
      method == .post
      ? try FileHandle.standardInput.read(upToCount: Self.maxBodyBytes).map { [UInt8]($0) } : nil
    let answer = try await answer(method, body)
    guard let object = answer.object else {
      throw LinkFailure.malformed("\(answer.place.text) answered with something else than JSON")
    }
    try LinkCommand.answer(JSON.object(object).line)
  }

  private func answer(
    _ method: HTTPRequest.Method, _ body: [UInt8]?
  ) async throws -> ServiceAnswer {
    let connector = try Connector(
      try service.place(), patience: Self.patience, repeatsRefused: false)
    let answer: ServiceAnswer
    do {
      answer = try await connector.withConnection(Liveness(checksIdle: true)) { connection in
        try await connection.ask(
          method, path, accept: "application/json", body: body,
          type: body == nil ? nil : "application/json", within: Self.answerLimit)
      }
    } catch let failure as LinkFailure {
      throw failure
    } catch {
      throw LinkFailure.silent("\(connector.place.text) did not answer: \(error)")
    }
    switch answer.refusal {
    case .end(let failure), .wait(_, let failure), .lost(let failure): throw failure
    case nil: return answer
    }
  }
}
#endif
