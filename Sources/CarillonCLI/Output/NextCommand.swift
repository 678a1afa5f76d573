import Foundation

/// What hints tell people to run.
enum NextCommand {
  /// `carillon`, with the store where it was named on the command line: the environment names none
  /// then.
  static func carillon(store: String?) -> String {
    store.map { "carillon --store \(quoted($0))" } ?? "carillon"
  }

  /// A hint whose commands name the store, where it was named on the command line.
  ///
  /// Commands that name their store themselves stay as they are.
  static func naming(_ store: String?, in hint: String) -> String {
    guard let store, !hint.contains("--store"), !hint.contains("DIR"), !hint.contains(" A B") else {
      return hint
    }
    return hint.replacing(/(^|[:,] |, or )carillon ([a-z])/) {
      "\($0.1)\(carillon(store: store)) \($0.2)"
    }
  }

  /// A word as a shell reads it.
  static func quoted(_ word: String) -> String {
    let isPlain = word.wholeMatch(of: /[A-Za-z0-9_.\/~+@%,:=-]+/) != nil
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
