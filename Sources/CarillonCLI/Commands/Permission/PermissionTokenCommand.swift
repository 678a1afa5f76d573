import ArgumentParser
import Carillon

/// `carillon permission token`: this device registered for remote notifications, or could not.
struct PermissionTokenCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Record the device's token for remote notifications.")

  @OptionGroup var global: GlobalOptions

  @Argument(help: ArgumentHelp("The token's bytes in hexadecimal digits.", valueName: "hex"))
  var token: Given<HexadecimalBytes>?

  @Option(help: ArgumentHelp("There is no token; what the system said.", valueName: "text"))
  var failed: String?

  @Option(
    help: ArgumentHelp("Which world of the push service; production by default.", valueName: "name")
  )
  var environment = "production"

  func run(_ call: Call) async throws {
    let token = try token.value(for: "the token")?.bytes
    let registration: PushTokenSet.Registration
    switch (token, failed) {
    case (let token?, nil): registration = .token(token)
    case (nil, let failed?): registration = .failure(failed)
    default:
      throw CommandFailure.usage(
        "either a token or --failed is needed",
        hint: "give the token's hexadecimal digits, or --failed with what the system said")
    }
    try await call.withStore { store in
      let written = try await store.setPushToken(
        PushTokenSet(environment: environment, registration: registration))
      try call.output.confirm(written) {
        token == nil ? "Recorded that there is no token." : "Recorded the token."
      }
    }
  }
}

/// Bytes, two hexadecimal digits each.
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
