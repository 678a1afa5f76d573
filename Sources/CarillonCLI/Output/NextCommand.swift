import Foundation

/// The commands that hints suggest.
enum NextCommand {
  /// `carillon`, with `--store` if the command line names the store, since the environment may then
  /// name none.
  static func carillon(store: String?) -> String {
    store.map { "carillon --store \(quoted($0))" } ?? "carillon"
  }

  /// Adds the store of the command line to the commands of a hint.
  ///
  /// Commands that already name a store are left unchanged.
  static func naming(_ store: String?, in hint: String) -> String {
    guard let store, !hint.contains("--store"), !hint.contains("DIR"), !hint.contains(" A B") else {
      return hint
    }
    return hint.replacing(/(^|[:,] |, or )carillon ([a-z])/) {
      "\($0.1)\(carillon(store: store)) \($0.2)"
    }
  }

  /// Whether a title can be pasted as an argument: it is no option, and has no control characters.
  static func canName(_ title: String) -> Bool {
    !title.hasPrefix("-") && title == title.printable
  }

  /// The characters that a shell takes as they are.
  private static let plain = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./~+@%,:=-".utf8)

  /// Quotes a word for a shell, if necessary.
  static func quoted(_ word: String) -> String {
    let isPlain = !word.isEmpty && word.utf8.allSatisfy(plain.contains) && !word.hasPrefix("~")
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
