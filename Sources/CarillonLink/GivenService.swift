#if Service
import ArgumentParser
import CarillonAccess
import CarillonDocuments
import Foundation

/// The service that a subcommand connects with, and this device's credential there.
struct GivenService: ParsableArguments {
  @Argument(help: "The address of the service, such as https://host:8787/.")
  var address: String

  @Option(
    help: ArgumentHelp(
      "The file with the credential and the key of the service (default: CARILLON_CREDENTIAL, and "
        + "the authorities of the system).", valueName: "file"))
  var remote: String?

  /// - Throws: ``LinkFailure``, and the errors of the file.
  func place() throws -> ServicePlace {
    guard let address = URL(string: address) else {
      throw LinkFailure(
        status: .usage, code: "usage", message: "\(address) is not an address",
        hint: "give https://host[:port][/path]")
    }
    if let remote {
      let file = try RemoteService(at: URL(filePath: remote))
      return try ServicePlace(address, key: file.key, credential: file.credential)
    }
    guard let credential = getenv("CARILLON_CREDENTIAL").map({ String(cString: $0) }),
      !credential.isEmpty, credential.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else {
      throw LinkFailure.denied("there is no credential for \(address)")
    }
    return try ServicePlace(address, key: nil, credential: credential)
  }
}
#endif
