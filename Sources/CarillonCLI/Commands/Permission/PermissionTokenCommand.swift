import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon permission token`: records the result of registering for remote notifications.
struct PermissionTokenCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Record this device's token for remote notifications, or that it has none.")

  @OptionGroup var global: GlobalOptions

  @Argument(
    help: ArgumentHelp("The token, 1 to 1024 bytes in hexadecimal digits.", valueName: "hex"))
  var token: Given<HexadecimalBytes>?

  @Option(
    help: ArgumentHelp("Registering failed, with this error of the system.", valueName: "text"))
  var failed: String?

  @Option(
    help: ArgumentHelp("The environment of the push service.", valueName: "name"))
  var environment = "production"

  func run(_ call: Call) async throws {
    let token = try token.value(for: "the token")?.bytes
    let registration: PushTokenSet.Registration
    switch (token, failed) {
    case (let token?, nil): registration = .token(token)
    case (nil, let failed?): registration = .failure(failed)
    default:
      throw CommandFailure.usage(
        "either a token or --failed is required",
        hint: "give the token's hexadecimal digits, or --failed with the system's error")
    }
    try await call.withStore { store in
      let written = try await store.setPushToken(
        PushTokenSet(environment: environment, registration: registration))
      try call.output.confirm(written) {
        token == nil ? "Recorded that this device has no token." : "Recorded the token."
      }
    }
  }
}

/// Bytes, written with two hexadecimal digits each.
struct HexadecimalBytes: ArgumentValue {
  let bytes: [UInt8]

  static let form = "hexadecimal digits, two for each of 1 to 1024 bytes"

  init(argument: String) throws(ArgumentProblem) {
    guard let bytes = [UInt8](hexadecimal: argument), !bytes.isEmpty else {
      throw ArgumentProblem(
        "\"\(argument.prefix(40))\" is not an even number of hexadecimal digits")
    }
    self.bytes = bytes
  }
}
