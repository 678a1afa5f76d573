import Testing

@testable import CarillonModel

@Suite struct FlooredDivisionTests {
  @Test(
    "Quotients are rounded down, remainders are never negative, and no value traps",
    arguments: [
      (Int64(7), Int64(2), Int64(3), Int64(1)), (-7, 2, -4, 1), (-8, 2, -4, 0),
      (-1, 1_000, -1, 999), (0, 5, 0, 0), (.max, 2, 4_611_686_018_427_387_903, 1),
      (.min, 2, -4_611_686_018_427_387_904, 0), (.min, 86_400_000, -106_751_991_168, 60_424_192),
      (.min, .max, -2, .max - 1),
    ])
  func divided(number: Int64, divisor: Int64, quotient: Int64, remainder: Int64) {
    let result = number.flooredDivision(by: divisor)
    #expect(result.quotient == quotient && result.remainder == remainder)
    #expect(number.flooredQuotient(by: divisor) == quotient)
  }
}
