#if Service
internal import CPostgres
package import CarillonModel

/// What libpq understands of a text that names a database.
///
/// Messages of libpq about such a text repeat parts of it, which may be those of a password. So it
/// is checked before libpq connects.
package enum ConnectionString {
  /// Checks a URL, or a list of keywords with values.
  ///
  /// - Throws: `io` without any part of the text.
  package static func check(_ text: String) throws(LogError) {
    guard let values = values(of: text), hasValidPorts(values), !hasLateSign(text) else {
      throw LogError(
        code: .io, message: "the URL of the database is not valid",
        hint: "give postgres://user:password@host:port/name, and percent-encode special "
          + "characters, such as @ as %40 and / as %2F")
    }
  }

  /// Whether a text has a keyword of libpq and an equals sign, as `host=h user=u` does.
  package static func hasKeyword(_ text: String) -> Bool {
    guard let known = values(of: "")?.keys else { return false }
    return text.matches(of: /(?:^|\s)(\w+)\s*=/).contains { known.contains(String($0.output.1)) }
  }

  // MARK: -

  /// Returns the values of all keywords, which are empty without one; nil if libpq cannot read the
  /// text.
  private static func values(of text: String) -> [String: String]? {
    guard let options = PQconninfoParse(text, nil) else { return nil }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      values[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) } ?? ""
      option += 1
    }
    return values
  }

  /// Whether each port is a number: in `hub:secret/x@host`, libpq takes `secret` for one.
  private static func hasValidPorts(_ values: [String: String]) -> Bool {
    (values["port"] ?? "").split(separator: ",").allSatisfy { (1...65_535) ~= Int($0) ?? 0 }
  }

  /// Whether a URL has an @ after the user: in `hub:se@cret@host`, libpq takes `cret@host` for the
  /// host.
  private static func hasLateSign(_ text: String) -> Bool {
    guard let scheme = text.firstRange(of: "://") else { return false }
    var rest = text[scheme.upperBound...]
    // The user ends at the first @, unless a slash comes before.
    if let end = rest.firstIndex(where: { "@/".contains($0) }), rest[end] == "@" {
      rest = rest[rest.index(after: end)...]
    }
    return rest.prefix { $0 != "?" }.contains("@")
  }
}
#endif
