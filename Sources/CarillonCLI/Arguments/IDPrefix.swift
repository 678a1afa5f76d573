/// The first characters of an ID, which suffice as an argument.
enum IDPrefix {
  /// The least number of characters.
  static let leastCharacters = 4
}
