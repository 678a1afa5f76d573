#if Service
import Carillon
import CarillonDocuments
import Foundation

/// Writes the user unit, and removes it.
///
/// Neither calls systemd: the person runs the commands that are printed.
struct UnitInstallation {
  /// What was done, and the commands to run next.
  struct Change {
    /// `wrote`, `replaced` or `removed`.
    let act: String
    let path: String
    /// What each command is for, and the commands.
    let next: [(purpose: String, commands: [String])]

    var text: String {
      let steps = next.map { step in
        "\(step.purpose):\n" + step.commands.map { "  \($0)\n" }.joined()
      }
      return "\(act.capitalized) \(path.printable)\n" + steps.joined()
    }

    var json: JSON {
      [
        act: .text(path),
        "next": .array(next.flatMap(\.commands)) { .text($0) },
      ]
    }
  }

  /// The directory of the user's units.
  private let directory: URL

  /// - Throws: ``ServeFailure`` if the environment names no directory for the user's files.
  init() throws(ServeFailure) {
    let environment = ProcessInfo.processInfo.environment
    if let configuration = environment["XDG_CONFIG_HOME"], configuration.hasPrefix("/") {
      directory = URL(filePath: configuration).appending(path: "systemd/user")
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      directory = URL(filePath: home).appending(path: ".config/systemd/user")
    } else {
      throw .usage(
        "HOME names no directory, so there is no place for a user unit",
        hint: "set HOME to the directory of the user")
    }
  }

  private var unit: URL { directory.appending(path: UserUnit.name) }
  /// The link that `systemctl enable` makes.
  private var link: URL { directory.appending(path: "default.target.wants/\(UserUnit.name)") }

  /// Writes the unit for settings, or replaces it, and returns what was done and the next commands.
  ///
  /// - Parameters:
  ///   - settings: All settings, which were checked.
  ///   - found: The settings with their sources. Those of flags and the environment become flags of
  ///     the unit.
  ///   - config: The file with settings, which stays one; nil for none.
  /// - Throws: ``ServeFailure``.
  func install(
    _ settings: Settings, _ found: [SettingReader.Found], config: String?
  ) async throws -> Change {
    try await settings.check()
    let store = absolute(settings.store.path)
    let arguments = try arguments(settings, store, found, config)
    guard let program = Bundle.main.executablePath else {
      throw ServeFailure(
        status: .internal, message: "the path of this program is unknown",
        hint: "start it by its path")
    }
    let text = try UserUnit(program: program, arguments: arguments, store: store).text
    let isThere = FileManager.default.fileExists(atPath: unit.path)
    try translating {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data(text.utf8).write(to: unit, options: .atomic)
    }
    return Change(
      act: isThere ? "replaced" : "wrote", path: unit.path,
      next: (isThere ? restart : start) + address(settings, store) + [
        ("To see its log", ["journalctl --user --unit \(UserUnit.name)"]),
        ("To remove it", ["carillon serve --uninstall"]),
      ])
  }

  private typealias Steps = [(purpose: String, commands: [String])]

  /// The commands after a new unit was written.
  private var start: Steps {
    [
      (
        "To start it now and at each login",
        ["systemctl --user daemon-reload", "systemctl --user enable --now \(UserUnit.name)"]
      ),
      ("To run it from boot on, without a login", ["loginctl enable-linger"]),
    ]
  }

  /// The commands after a unit was replaced, whose service may run.
  private var restart: Steps {
    let enable = ("To start it at each login", ["systemctl --user enable \(UserUnit.name)"])
    return [
      (
        "To start it with the new settings",
        ["systemctl --user daemon-reload", "systemctl --user restart \(UserUnit.name)"]
      )
    ] + (FileManager.default.fileExists(atPath: link.path) ? [] : [enable])
  }

  /// Removes the unit and the link that enables it, and returns the next commands.
  ///
  /// - Throws: ``ServeFailure``.
  func uninstall() throws -> Change {
    guard FileManager.default.fileExists(atPath: unit.path) else {
      throw ServeFailure(
        status: .notFound, message: "there is no unit at \(unit.path)",
        hint: "write it: carillon serve --install")
    }
    try translating {
      guard unlink(link.path) == 0 || errno == ENOENT else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      try FileManager.default.removeItem(at: unit)
    }
    return Change(
      act: "removed", path: unit.path,
      next: [
        (
          "To end the running service",
          ["systemctl --user stop \(UserUnit.name)", "systemctl --user daemon-reload"]
        )
      ])
  }

  // MARK: -

  /// Returns the command that prints the address of the page with the token, which the service does
  /// not print; none for a service that takes any port.
  private func address(_ settings: Settings, _ store: String) -> Steps {
    let port = settings.server.listen.port
    guard port != 0 else { return [] }
    let page = settings.server.address(at: port).absoluteString
    let token = "cat \(ShellWord.quoted("\(store)/service/token"))"
    return [("To see the address of the page", ["echo \"\(page)#token=$(\(token))\""])]
  }

  /// Returns the flags of the unit.
  ///
  /// The journal keeps what a service prints, so it must not print the token.
  private func arguments(
    _ settings: Settings, _ store: String, _ found: [SettingReader.Found], _ config: String?
  ) throws(ServeFailure) -> [String] {
    var arguments = ["--quiet", "--store=\(store)"]
    if let config { arguments.append("--config=\(absolute(config))") }
    for setting in found where setting.name != "store" && setting.source != "default" {
      let isPath = Settings.paths.contains(setting.name)
      if setting.source == config {
        guard !isPath || setting.text.hasPrefix("/") else {
          throw .usage(
            "\(setting.source): \(setting.name) is \"\(setting.text)\", and the service starts in "
              + "another directory", hint: "give an absolute path in the file")
        }
      } else if setting.name == "discover" {
        if settings.isDiscoverable { arguments.append("--discover") }
      } else {
        arguments.append("--\(setting.name)=\(isPath ? absolute(setting.text) : setting.text)")
      }
    }
    return arguments
  }

  private func absolute(_ path: String) -> String {
    URL(filePath: path).standardizedFileURL.path
  }

  private func translating(_ body: () throws -> Void) throws(ServeFailure) {
    do {
      try body()
    } catch {
      throw ServeFailure(store: StoreError(translating: error))
    }
  }
}
#endif
