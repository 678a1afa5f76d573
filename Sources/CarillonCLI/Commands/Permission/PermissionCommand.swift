import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon permission`: this device's permission to show notifications.
struct PermissionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "permission", abstract: "Show or record this device's permission to notify.",
    subcommands: [
      PermissionShowCommand.self, PermissionPrimeCommand.self, PermissionAskCommand.self,
      PermissionGrantCommand.self, PermissionDenyCommand.self, PermissionRevokeCommand.self,
      PermissionTokenCommand.self,
    ], defaultSubcommand: PermissionShowCommand.self)
}

/// `carillon permission show`.
struct PermissionShowCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show this device's permission.")

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let document = try await PermissionDocument(store, call.output.time)
      try call.output.answer(document.json) {
        let tokens = document.tokens.map { ("token", $0.text) }
        return Table(facts: document.facts(call.output.time) + tokens)
          .rendered(on: call.output.terminal)
          + (document.device.blocked.map { call.output.footer($0) } ?? "")
      }
    }
  }
}

extension PermissionDocument {
  /// The lines of `permission show`.
  fileprivate func facts(_ time: LocalTime) -> [(String, String)] {
    let (permission, alerts) = (device.permission, device.alerts)
    let options = permission.options.names
    let since = device.permissionSince.map { " since \(time.text($0))" } ?? ""
    let asked =
      device.wasAsked
      ? "yes; the system shows its prompt only once"
      : device.mayBeAsked ? "not yet" : "no; the system already has an answer"
    let priming =
      mayPrime
      ? "may be shown"
      : device.mayBeAsked ? "not before \(primeFrom.map(time.text) ?? "")" : "no longer needed"
    return [
      ("permission", permission.status.rawValue + since),
      ("options", options.isEmpty ? "none" : options.joined(separator: ", ")),
      ("asked", asked), ("own screen", priming), ("alerts", alerts.isOn ? "on" : "off"),
      ("badge", alerts.badgeIsOn ? "on" : "off"), ("sound", alerts.soundIsOn ? "on" : "off"),
    ]
  }
}

/// `carillon permission ask`: records that the system's prompt was shown.
struct PermissionAskCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "ask",
    abstract: "Record that the system's prompt was shown.",
    discussion: """
      Exits with 1 if the prompt was shown before or the system already has an answer, since the \
      system does not show it then.
      """)

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      guard let written = try await store.recordAsked() else {
        try call.output.answer(["events": []]) {
          "The prompt was already shown, or the system has an answer; it is not shown again.\n"
        }
        throw ExitCode(ExitStatus.no.rawValue)
      }
      try call.output.confirm(written) { "Recorded that the prompt was shown." }
    }
  }
}

/// `carillon permission grant`: records that the system allows notifications.
struct PermissionGrantCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Record that the system allows notifications.")

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "What the system allows: one or more of "
        + OptionList<Permission.Options>.names.joined(separator: ", ")
        + ", separated by commas (default: alert,sound,badge).", valueName: "alert,sound,badge"))
  var options: Given<OptionList<Permission.Options>>?

  @Flag(
    help:
      """
      Permission is provisional: without a prompt, notifications are delivered quietly until the \
      person decides.
      """)
  var provisional = false

  func run(_ call: Call) async throws {
    let options = try options.value(for: "--options")?.options ?? [.alert, .sound, .badge]
    let status: Permission.Status = provisional ? .provisional : .authorized
    try await call.record(
      Permission(status: status, options: options),
      provisional ? "granted provisionally" : "granted")
  }
}

/// `carillon permission deny`: records that the person denied permission.
struct PermissionDenyCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Record that the person denied permission in the prompt.")

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    try await call.record(Permission(status: .denied), "denied")
  }
}

/// `carillon permission revoke`: records that permission was revoked in the system's settings.
struct PermissionRevokeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Record that permission was revoked in the system's settings.",
    discussion: """
      The device then counts as one without permission, as after permission deny.
      """)

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    try await call.record(Permission(status: .denied), "revoked")
  }
}

extension Call {
  /// Warns, if notifications are allowed on a server, that it delivers none.
  func serverWarnings(_ isOn: Bool, in store: Store) async throws -> [String] {
    guard isOn, try await store.device().description?.role == .server else { return [] }
    let text =
      "this replica is a server, which never reminds; clone it to a device that does: "
      + "carillon clone A B --replica phone --role phone"
    output.warn(text)
    return [text]
  }

  /// Records a permission, and prints what the person did, in the verb's word.
  fileprivate func record(_ permission: Permission, _ done: String) async throws {
    try await withStore { store in
      let written = try await store.setPermission(permission)
      let warnings = try await serverWarnings(permission.isGranted, in: store)
      let blocked = permission.isGranted ? try await store.device().blocked : nil
      try output.confirm(written, ([:] as JSON).merging(warnings: warnings)) {
        "Permission is \(done)." + (blocked.map { " " + output.footer($0).dropLast() } ?? "")
      }
    }
  }
}

extension PushTokenSet {
  /// `development 00ffa1`, or `production failed: no network`.
  fileprivate var text: String {
    switch registration {
    case .token(let bytes): "\(environment) \(bytes.hexadecimal)"
    case .failure(let text): "\(environment) failed: \(text)"
    }
  }
}
