extension Duration {
  /// The number of whole seconds, without a fraction.
  package var wholeSeconds: Int { Int(clamping: components.seconds) }
}
