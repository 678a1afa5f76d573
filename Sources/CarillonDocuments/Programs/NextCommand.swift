import Foundation

/// The commands that hints suggest.
package enum NextCommand {
  /// `carillon`, with `--store` if the command line names the store, since the environment may then
  /// name none.
  package static func carillon(store: String?) -> String {
    store.map { "carillon --store \(ShellWord.quoted($0.hasPrefix("-") ? "./" + $0 : $0))" }
      ?? "carillon"
  }

  /// Adds the store of the command line to the commands of a hint.
  ///
  /// Commands that already name a store, or that are for another place, are left unchanged.
  package static func naming(_ store: String?, in hint: String) -> String {
    guard let store else { return hint }
    // A regular expression would first be compiled, which takes longer than a short answer.
    let parts = hint.components(separatedBy: "carillon ")
    return parts.dropFirst().reduce(parts[0]) { text, part in
      let isCommand =
        (text.isEmpty || [": ", ", ", ", or "].contains(where: text.hasSuffix))
        && "a"..."z" ~= part.prefix(1)
      // A command ends with the hint, or before a semicolon.
      let command = part.prefix { $0 != ";" }
      let isElsewhere =
        ["there: ", "there, run: "].contains(where: text.hasSuffix)
        || ["--store", "DIR", " A B"].contains(where: command.contains)
      return text + (isCommand && !isElsewhere ? carillon(store: store) : "carillon") + " " + part
    }
  }

  /// Returns the argument that names something: its name, quoted if necessary; or its ID if the
  /// name would be an option, or has characters that a terminal does not show as they are.
  package static func argument(_ name: String, or id: some CustomStringConvertible) -> String {
    !name.hasPrefix("-") && name == name.printable ? ShellWord.quoted(name) : id.description
  }
}
