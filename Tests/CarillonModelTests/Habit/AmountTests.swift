import CarillonModel
import Foundation
import Testing

struct AmountTests {
  @Test(
    "An amount is exact to three decimal places",
    arguments: [
      (0, 0), (1, 1_000), (0.5, 500), (-0.001, -1), (2.345, 2_345),
      (1_000_000_000, 1_000_000_000_000),
    ] as [(Amount, Int64)])
  func literals(amount: Amount, thousandths: Int64) {
    #expect(amount == Amount(thousandths: thousandths))
  }

  @Test("A decimal becomes the equal amount, and back")
  func decimals() throws {
    for text in ["0", "2.5", "-0.001", "9223372036854775.807", "-9223372036854775.808"] {
      let decimal = try #require(Decimal(string: text))
      let amount = try #require(Amount(decimal))
      #expect(amount.description == text)
      #expect(Decimal(amount) == decimal)
    }
    for text in ["0.0001", "9223372036854775.808", "1e30", "-1e30"] {
      #expect(Amount(try #require(Decimal(string: text))) == nil, "\(text)")
    }
    #expect(Amount(Decimal.nan) == nil)
  }

  @Test("A floating-point number becomes the nearest amount, if it is in range")
  func numbers() {
    #expect(Amount(nearest: 0.1 + 0.2) == 0.3)
    #expect(Amount(nearest: -2.0004) == -2)
    for number in [Double.nan, .infinity, -.infinity, 1e16] {
      #expect(Amount(nearest: number) == nil)
    }
  }

  @Test("Amounts are ordered by size")
  func order() {
    #expect(([1.5, 0, -1, 0.001] as [Amount]).sorted() == [-1, 0, 0.001, 1.5])
  }
}
