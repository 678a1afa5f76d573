import Carillon
import CarillonDocuments
import Foundation

/// The commands that hints suggest.
enum NextCommand {
  /// `carillon`, with `--store` if the command line names the store, since the environment may then
  /// name none.
  static func carillon(store: String?) -> String {
    store.map { "carillon --store \(ShellWord.quoted($0.hasPrefix("-") ? "./" + $0 : $0))" }
      ?? "carillon"
  }

  /// Adds the store of the command line to the commands of a hint.
  ///
  /// Commands that already name a store are left unchanged.
  static func naming(_ store: String?, in hint: String) -> String {
    guard let store, !hint.contains("--store"), !hint.contains("DIR"), !hint.contains(" A B") else {
      return hint
    }
    // A regular expression would first be compiled, which takes longer than a short answer.
    let parts = hint.components(separatedBy: "carillon ")
    return parts.dropFirst().reduce(parts[0]) { text, part in
      let isCommand =
        (text.isEmpty || [": ", ", ", ", or "].contains(where: text.hasSuffix))
        && "a"..."z" ~= part.prefix(1)
      return text + (isCommand ? carillon(store: store) : "carillon") + " " + part
    }
  }

  /// Returns the argument that names something: its name, quoted if necessary; or its ID if the
  /// name would be an option, or has characters that a terminal does not show as they are.
  static func argument(_ name: String, or id: some CustomStringConvertible) -> String {
    !name.hasPrefix("-") && name == name.printable ? ShellWord.quoted(name) : id.description
  }
}

extension Habit {
  /// The argument that names the habit in a suggested command: its title, or its ID if the title
  /// cannot be pasted.
  var argument: String { NextCommand.argument(title, or: id) }

  /// Returns the argument that names only this habit in a suggested command.
  func argument(among habits: [Habit]) -> String {
    isNamedByTitle(among: habits) ? argument : id.description
  }
}
