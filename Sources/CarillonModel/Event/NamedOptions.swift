/// A set of bits of which some have names; a newer version may know more.
package protocol NamedOptions: OptionSet where RawValue == UInt32, Element == Self {
  /// The options that have names, each one bit, in the order in which they are written.
  static var named: [(name: String, option: Self)] { get }
}

extension NamedOptions {
  /// The names of those that are set.
  package var names: [String] { Self.named.filter { contains($0.option) }.map(\.name) }

  /// The option of a name, or nil.
  package init?(name: some StringProtocol) {
    guard let named = Self.named.first(where: { $0.name == name }) else { return nil }
    self = named.option
  }
}
