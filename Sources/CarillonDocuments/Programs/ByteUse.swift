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

  /// `24.6 of 30.0 KB`.
  package var text: String {
    guard let unit = Self.units.first(where: { Double(quota) >= $0.size }) else {
      return "\(used.grouped) of \(quota.counted("byte"))"
    }
    func tenths(_ count: UInt64) -> Double { (Double(count) / unit.size * 10).rounded() / 10 }
    return "\(tenths(used)) of \(tenths(quota)) \(unit.name)"
  }

  private static let units: [(name: String, size: Double)] = [
    ("GB", 1e9), ("MB", 1e6), ("KB", 1e3),
  ]
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
}
