#if Service
import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import CarillonService
import Dispatch
import Foundation

/// The flags of `carillon-serve`.
struct ServeFlags: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carillon-serve", abstract: "Serve a store over HTTP, until Ctrl-C.",
    discussion: """
      Examples:
        carillon serve
        carillon serve --listen 0.0.0.0:8787 --tls-certificate a.pem --tls-key a.key --discover
        carillon serve --install
      """,
    version: ProgramVersion.current)

  @Option(
    help: ArgumentHelp(
      "The store's directory (default: CARILLON_STORE, or else ~/.local/share/carillon).",
      valueName: "dir"), completion: .directory)
  var store: String?

  @Option(
    help: ArgumentHelp(
      "The device's time zone, such as Europe/Berlin (default: that of TZ, or the system's).",
      valueName: "tzid"))
  var zone: String?

  @Flag(
    help: ArgumentHelp(
      "Announce the service in the local network by mDNS, which requires Avahi: its type, port and "
        + "path, and the name of this computer."))
  var discover = false

  @OptionGroup var server: ServerFlags

  @Flag(
    help: ArgumentHelp(
      "Print each setting and where it comes from, check that the service could start, and end."))
  var checkConfig = false

  @Flag(help: "Write a systemd user unit that serves the store with these flags, and end.")
  var install = false

  @Flag(help: "Remove the unit that --install wrote, and end.")
  var uninstall = false

  /// The given flags after which the program ends without serving.
  var acts: [String] {
    [("--check-config", checkConfig), ("--install", install), ("--uninstall", uninstall)]
      .filter(\.1).map(\.0)
  }

  @OptionGroup var output: ProgramOutput

  // Refused with a reason; without this, it would be an unknown option.
  @Option(help: .hidden)
  var now: String?

  /// Requires that no other clock is given.
  func requireSystemClock() throws(ServeFailure) {
    guard now == nil else { throw .otherClock }
  }

  /// The given flags, by name.
  var given: [String: String] {
    let own = ["store": store, "zone": zone, "discover": discover ? "yes" : nil]
    return server.given.merging(own.compactMapValues { $0 }) { $1 }
  }
}

/// `carillon-serve`: serves a store over HTTP.
@main
enum ServeCommand {
  /// Runs the program, and ends it with the exit code of the command line.
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    DispatchLog.turnOff()
    Heap.saveAddressSpace()
    StandardStream.hold()
    let given = Array(CommandLine.arguments.dropFirst())
    var output = ProgramOutput()
    output.json = given.contains("--json")
    if let failure: ServeFailure = ArgumentText.failure() { output.end(failure) }
    let files: ServeFailure? = OpenFileLimit.failure(least: FileLimit.least)
    if let files { output.end(files) }
    Task { [output] in await main(given, output) }
    dispatchMain()
  }

  private static func main(_ given: [String], _ output: ProgramOutput) async -> Never {
    var output = output
    do {
      if given.first == "hub" {
        try HubCommand.requireNoOtherOptions(given)
        let verb = try parse(HubCommand.self, Array(given.dropFirst()))
        guard let verb = verb as? any HubVerb else { HubCommand.exit() }
        output = verb.output
        try await administer(verb)
      } else if let flags = try parse(ServeFlags.self, given) as? ServeFlags {
        output = flags.output
        try flags.requireSystemClock()
        try await serve(flags)
      }
      Foundation.exit(EXIT_SUCCESS)
    } catch let failure as ServeFailure {
      output.end(failure)
    } catch {
      output.end(
        ServeFailure(
          status: .internal, message: "\(error)",
          hint: "this is a bug in Carillon; please report it"))
    }
  }

  /// Reads the flags, or prints the help that they request and ends the process.
  private static func parse<Command: ParsableCommand>(
    _ command: Command.Type, _ given: [String]
  ) throws(ServeFailure) -> any ParsableCommand {
    var path = ["carillon", command == HubCommand.self ? "hub" : "serve"]
    var verbs = command.configuration.subcommands
    var rest = given[...]
    while !verbs.isEmpty, let word = rest.first {
      if let verb = verbs.first(where: { $0.configuration.commandName == word }) {
        path.append(word)
        verbs = verb.configuration.subcommands
      } else if word != "help" {
        break
      }
      rest.removeFirst()
    }
    let name = path.joined(separator: " ")
    // A request for help would show that of the default verb.
    if let word = rest.first, !verbs.isEmpty, !word.hasPrefix("-") {
      throw .usage("\(name) has no command \"\(word)\"", hint: "see \(name) --help")
    }
    do {
      var parsed = try command.parseAsRoot(given)
      // What only prints, such as the help.
      if !(parsed is any HubVerb), !(parsed is ServeFlags) { try parsed.run() }
      return parsed
    } catch {
      guard !command.exitCode(for: error).isSuccess else { command.exit(withError: error) }
      throw .usage(command.message(for: error), hint: "see \(name) --help")
    }
  }

  /// Runs a verb of the hub.
  private static func administer(_ verb: any HubVerb) async throws {
    do {
      try await verb.perform()
    } catch {
      let failure: ServeFailure? =
        switch error {
        case let failure as ServeFailure: failure
        case let error as LogError: ServeFailure(hub: error)
        case let error as StoreError: ServeFailure(store: error)
        default: nil
        }
      throw failure?.naming(place: verb.givenPlace) ?? error
    }
  }

  private static func serve(_ flags: ServeFlags) async throws {
    let output = flags.output
    guard flags.acts.count <= 1 else {
      throw ServeFailure.usage(
        "\(flags.acts.joined(separator: " and ")) cannot be used together",
        hint: "give one of them")
    }
    if flags.uninstall { return try output.confirm(UnitInstallation().uninstall()) }
    var reader = try SettingReader(
      flags: flags.given, file: flags.server.config, of: "carillon serve")
    let settings = try Settings(from: &reader)
    if flags.checkConfig {
      output.answer(reader.found)
      return try await settings.check()
    }
    if flags.install {
      return try await output.confirm(
        UnitInstallation().install(settings, reader.found, config: flags.server.config))
    }
    let connections = FileLimit.raise(to: settings.server.limits.connections)
    try await FileLimit.openClocks()
    try await Program(settings, output, openFilesFor: connections).run()
  }
}
#else
import CarillonDocuments
import Foundation

/// `carillon-serve` of a build without the trait `Service`.
@main
struct ServeCommand {
  static func main() {
    let text = """
      error: this carillon-serve was built without the trait Service
      hint: swift build --enable-all-traits --product carillon-serve

      """
    StandardStream.errors.write(text)
    exit(69)
  }
}
#endif
