import CarillonModel

/// The bytes that a person uses of a hub, and the quota.
package struct ByteUse: Hashable, Sendable {
  package let used: UInt64
  package let quota: UInt64

  package init(_ used: UInt64, of quota: UInt64) {
    (self.used, self.quota) = (used, quota)
  }

  /// Whether at least 80 percent of the quota are used.
  package var isNearQuota: Bool { used >= quota - quota / 5 }

  /// The percentage of the quota that is used, at most 100.
  package var percent: UInt64 {
    used < quota ? UInt64(Double(used) / Double(quota) * 100) : 100
  }

  /// `24.6 of 30.0 KB`.
  package var text: String {
    guard let unit = Unit(of: quota) else {
      return "\(used.counted("byte")) of \(quota.grouped)"
    }
    return "\(unit.tenths(of: used)) of \(unit.tenths(of: quota)) \(unit.name)"
  }

  /// `5.4 KB`, what is left of the quota; nil if it is used up.
  package var remainder: String? {
    guard used < quota else { return nil }
    let rest = quota - used
    return Unit(of: rest).map { "\($0.tenths(of: rest)) \($0.name)" } ?? rest.counted("byte")
  }

  /// A unit of bytes.
  private struct Unit {
    let name: String
    let size: Double

    /// Returns the largest unit that a number of bytes reaches; nil for bytes.
    init?(of count: UInt64) {
      let units = [("GB", 1e9), ("MB", 1e6), ("KB", 1e3)]
      guard let found = units.first(where: { Double(count) >= $0.1 }) else { return nil }
      (name, size) = found
    }

    func tenths(of count: UInt64) -> Double { (Double(count) / size * 10).rounded() / 10 }
  }
}

extension ByteUse {
  /// Reads the members `bytes` and `maxBytes` of an object; nil if they are not there.
  package init?(_ json: JSON?) {
    guard case .object(let object)? = json, case .integer(let used)? = object["bytes"],
      case .integer(let quota)? = object["maxBytes"], used >= 0, quota >= 0
    else { return nil }
    self.init(UInt64(used), of: UInt64(quota))
  }

  package var json: JSON { ["bytes": .integer(used), "maxBytes": .integer(quota)] }

  /// Reads the field `Carillon-Quota` of an HTTP response; nil if it is malformed.
  package init?(field: String) {
    var members: [Substring: UInt64] = [:]
    for member in field.split(separator: ",") {
      let parts = member.drop { $0 == " " }.split(separator: "=")
      if parts.count == 2 { members[parts[0]] = UInt64(parts[1]) }
    }
    guard let used = members["bytes"], let quota = members["max-bytes"] else { return nil }
    self.init(used, of: quota)
  }

  /// The field `Carillon-Quota` of an HTTP response: `bytes=24576, max-bytes=30000`.
  package var field: String { "bytes=\(used), max-bytes=\(quota)" }
}
