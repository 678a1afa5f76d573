extension FixedWidthInteger where Self: SignedInteger {
  /// The quotient rounded down and the remainder, 0 or more, for a divisor of 2 or more.
  package func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// The quotient by a number of 2 or more, rounded down also for negative numbers.
  func flooredQuotient(by divisor: Self) -> Self { flooredDivision(by: divisor).quotient }
}
