/// A set of options, each one bit; a newer version may define more of them.
package protocol NamedOptions: OptionSet where RawValue == UInt32, Element == Self {
  /// The options that have names, in the order in which they are written.
  static var named: [(name: String, option: Self)] { get }
}

extension NamedOptions {
  /// The names of the options in the set.
  package var names: [String] { Self.named.filter { contains($0.option) }.map(\.name) }

  /// Creates the option with a name; returns nil for an unknown name.
  package init?(name: some StringProtocol) {
    guard let named = Self.named.first(where: { $0.name == name }) else { return nil }
    self = named.option
  }
}
