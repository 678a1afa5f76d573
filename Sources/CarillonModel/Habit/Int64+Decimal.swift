extension Int64 {
  /// The number of thousandths as a decimal without trailing zeros, such as `2.5`.
  package var decimal: String {
    let whole = magnitude / 1000
    var fraction = String(magnitude % 1000)
    fraction = String(repeating: "0", count: 3 - fraction.count) + fraction
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return (self < 0 ? "-" : "") + (fraction.isEmpty ? "\(whole)" : "\(whole).\(fraction)")
  }
}
