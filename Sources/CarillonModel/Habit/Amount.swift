public import Foundation

/// An amount of what a habit counts, exact to three decimal places.
///
/// ```swift
/// try await store.markDone(water, amount: 0.5)
/// ```
public struct Amount: Hashable, Sendable {
  /// The amount times 1,000.
  public let thousandths: Int64

  /// Creates an amount from a number of thousandths.
  public init(thousandths: Int64) {
    self.thousandths = thousandths
  }

  /// Creates an amount from a decimal number; nil if it is out of range or has more than three
  /// decimal places.
  public init?(_ decimal: Decimal) {
    var product = decimal * 1_000
    var rounded = Decimal()
    NSDecimalRound(&rounded, &product, 0, .plain)
    guard decimal.isFinite, rounded == product, rounded >= Decimal(Int64.min),
      rounded <= Decimal(Int64.max)
    else {
      return nil
    }
    thousandths = NSDecimalNumber(decimal: rounded).int64Value
  }

  /// Creates the amount nearest to a number; nil if it is out of range or not a number.
  package init?(nearest number: Double) {
    guard let thousandths = Int64(exactly: (number * 1_000).rounded()) else { return nil }
    self.thousandths = thousandths
  }

  /// The greatest amount of an entry and of a target, in thousandths.
  package static let maxThousandths: Int64 = 1_000_000_000_000
  /// Done once, the amount of an entry without one.
  package static let one: Amount = 1
  /// Nothing.
  package static let zero: Amount = 0
}

extension Amount: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates a whole amount.
  public init(integerLiteral whole: Int64) {
    thousandths = whole * 1_000
  }

  /// Creates the amount nearest to a number, which must be in range.
  public init(floatLiteral number: Double) {
    thousandths = Int64((number * 1_000).rounded())
  }
}

extension Amount: Comparable {
  /// Compares the amounts.
  public static func < (left: Amount, right: Amount) -> Bool {
    left.thousandths < right.thousandths
  }
}

extension Amount: CustomStringConvertible {
  /// The amount as a decimal without trailing zeros, such as `2.5`.
  public var description: String {
    let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1_000)
    let sign = thousandths < 0 ? "-" : ""
    guard rest > 0 else { return sign + String(whole) }
    var (fraction, places) = (Int(rest), 3)
    while fraction.isMultiple(of: 10) { (fraction, places) = (fraction / 10, places - 1) }
    return "\(sign)\(whole).\(fraction.padded(places))"
  }
}

extension Decimal {
  /// Creates the decimal number equal to an amount.
  public init(_ amount: Amount) {
    self = Decimal(amount.thousandths) / 1_000
  }
}
