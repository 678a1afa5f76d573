import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Foundation

/// A transport to a service over HTTPS, through the program `carillon-link`.
///
/// The program reads the credential from the file of the service in the store, or from
/// `CARILLON_CREDENTIAL`.
struct LinkConnection: Sendable {
  private let address: URL
  /// The file with the credential; nil if it is in the environment.
  private let file: URL?
  /// The ID of the store; nil if there is none yet.
  private let store: StoreID?
  private let stallInterval: Duration
  /// What the program prints on standard error.
  private let errors: CommandOutput

  /// - Parameters:
  ///   - store: The directory of the store that may know the service.
  ///   - id: The ID of that store; nil if it is to be created.
  ///   - stallInterval: How long the service may be silent.
  /// - Throws: `denied` if there is no credential for the service.
  init(
    _ given: ServiceURL, of store: URL, _ id: StoreID? = nil, stallInterval: Duration
  ) throws {
    (self.store, self.stallInterval) = (id, stallInterval)
    (address, file) = try Self.credential(for: given, of: store)
    errors = try CommandOutput()
  }

  /// What the service said last about the quota of bytes; nil if it said nothing, as long as less
  /// than 80 percent are used.
  var byteUse: ByteUse? {
    for line in errors.lines.reversed() {
      guard case .object(let object)? = try? JSONValue(parsing: Array(line.utf8)) else { continue }
      if let use = ByteUse(object["quota"]) { return use }
    }
    return nil
  }

  /// Returns the address of a service, and the file with the credential of a store there; nil if
  /// the credential is in the environment.
  ///
  /// - Throws: `denied` if there is no credential for the service.
  static func credential(
    for given: ServiceURL, of store: URL
  ) throws -> (address: URL, file: URL?) {
    let file = RemoteService.file(for: given.url, in: store)
    guard FileManager.default.fileExists(atPath: file.path) else {
      let isSet = getenv("CARILLON_CREDENTIAL").map { $0.pointee != 0 } ?? false
      guard isSet else {
        throw CommandFailure(
          status: .denied, code: StoreError.Code.denied.rawValue,
          message: "this store has no credential for \(given.text)",
          hint: "join with an invitation, carillon join LINK DIR --replica NAME; or set "
            + "CARILLON_CREDENTIAL to a credential or to the token of the service")
      }
      return (given.url, nil)
    }
    let remote = try RemoteService(at: file)
    let hasPath = !["", "/"].contains(given.url.path)
    return (hasPath ? given.url : remote.address, file)
  }

  /// Starts the program, calls `body` with the transport, and returns after the program has ended.
  ///
  /// - Parameters:
  ///   - news: Receives the news of the service; nil to ask for none.
  ///   - namesStore: Whether the transport names the service's store.
  /// - Throws: What `body` throws; if the transport broke, what the program reports.
  func run<Result: Sendable>(
    news: PeerNews? = nil, namesStore: Bool = false,
    _ body: (PipeTransport) async throws -> Result
  ) async throws -> Result {
    let seconds = Int(stallInterval / .seconds(1))
    var words = ["sync", address.absoluteString, "--stall-timeout", "\(seconds)"]
    if let file { words += ["--remote", file.path] }
    if news != nil { words.append("--news") }
    if namesStore { words.append("--names-store") }
    let (outcome, failure) = try await LinkProgram.run(
      words, for: address.absoluteString, within: stallInterval, errors
    ) { [stallInterval] process in
      let outcome: Swift.Result<Result, any Error>
      do {
        outcome = .success(try await process.withTransport(stallInterval, news, body))
      } catch {
        outcome = .failure(error)
      }
      // The program ends after its transport.
      return (outcome, Task.isCancelled ? .zero : .seconds(2))
    }
    do {
      return try outcome.get()
    } catch {
      try Task.checkCancellation()
      guard error.isAboutTransport, let failure else { throw error }
      throw refusal(failure) ?? failure
    }
  }

  /// Removes the refusal that an earlier sync recorded.
  func isAccepted() {
    if store != nil, let file { RemoteRefusal.remove(beside: file) }
  }

  // MARK: -

  /// Records that the service does not accept the credential of the store.
  ///
  /// - Returns: The failure, in whose hint the known values replace placeholders; nil for any other
  ///   failure.
  private func refusal(_ failure: CommandFailure) -> CommandFailure? {
    let isRefusal = errors.lines.last.map { line in
      guard case .object(let object)? = try? JSONValue(parsing: Array(line.utf8)) else {
        return false
      }
      return object["refused"] == .bool(true)
    }
    guard isRefusal == true, let store, let file else { return nil }
    let role = (try? RemoteService(at: file))?.role?.rawValue ?? "ROLE"
    var failure = failure
    failure.hint = failure.hint.replacing("--role ROLE", with: "--role \(role)")
      .replacing("hub invite ID", with: "hub invite \(store)")
    // Without the file, status only says less.
    try? RemoteRefusal(message: failure.message, hint: failure.hint).save(beside: file)
    return failure
  }
}
