extension FixedWidthInteger where Self: SignedInteger {
  /// Returns the quotient rounded down and the non-negative remainder, for a divisor of at least 2.
  package func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// Returns the quotient rounded down, also for negative numbers; the divisor must be at least 2.
  func flooredQuotient(by divisor: Self) -> Self { flooredDivision(by: divisor).quotient }
}
