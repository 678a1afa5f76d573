extension String {
  /// Returns the longest prefix of at most `maxBytes` bytes of UTF-8 that ends with a whole scalar.
  ///
  /// - Complexity: O(maxBytes).
  package func cut(toBytes maxBytes: Int) -> String {
    guard utf8.count > maxBytes else { return self }
    var size = 0
    let kept = unicodeScalars.prefix { scalar in
      size += UTF8.width(scalar)
      return size <= maxBytes
    }
    return String(kept)
  }
}
