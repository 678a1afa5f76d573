#if Service
import CarillonDocuments
import Foundation

/// The text of a systemd user unit that runs the program with given arguments.
struct UserUnit {
  static let name = "carillon.service"

  /// The absolute path of the program.
  let program: String
  let arguments: [String]
  /// The absolute path of the store, the only directory that the service may change.
  let store: String

  /// The unit file.
  ///
  /// - Throws: ``ServeFailure`` if a value has control characters, which a unit cannot hold.
  var text: String {
    get throws(ServeFailure) {
      // systemd refuses a program with a quote or a backslash in its path, but not as an argument.
      let isPlain = !program.contains { "\"'\\".contains($0) }
      var words = [try Self.word(isPlain ? program : "/bin/sh")]
      // Only in arguments, systemd replaces variables.
      for argument in (isPlain ? [] : ["-c", #"exec "$0" "$@""#, program]) + arguments {
        words.append(try Self.word(argument).replacing("$", with: "$$"))
      }
      return """
        # Written by carillon serve --install, which replaces it.
        [Unit]
        Description=Carillon, habits and reminders

        [Service]
        Type=notify
        NotifyAccess=main
        ExecStart=\(words.joined(separator: " "))
        Restart=on-failure
        RestartSec=2s
        # Wrong flags, settings or files, which another start does not correct.
        RestartPreventExitStatus=64 65 66 77
        TimeoutStopSec=20s
        WatchdogSec=60s

        # A user's service has no rights of root to give up.
        UMask=0077
        PrivateUsers=yes
        ProtectSystem=strict
        ProtectHome=read-only
        ReadWritePaths=\(try Self.word(store))
        PrivateTmp=\(isTemporary ? "no" : "yes")
        PrivateDevices=yes
        ProtectClock=yes
        ProtectControlGroups=yes
        ProtectHostname=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        CapabilityBoundingSet=
        KeyringMode=private
        NoNewPrivileges=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallErrorNumber=EPERM
        SystemCallFilter=@system-service

        [Install]
        WantedBy=default.target

        """
    }
  }

  /// Whether a private directory for temporary files would hide a file that the service needs.
  private var isTemporary: Bool {
    (arguments + [program, store]).contains { $0.contains("/tmp/") }
  }

  /// Returns a value as systemd reads it back: in quotes, with specifiers and escapes escaped.
  private static func word(_ text: String) throws(ServeFailure) -> String {
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw .usage(
        "\"\(text)\" has a control character, which a systemd unit cannot hold",
        hint: "rename the file or directory, or give another value")
    }
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped.replacing("%", with: "%%"))\""
  }
}
#endif
