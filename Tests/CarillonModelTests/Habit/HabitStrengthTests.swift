import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// The strength, compared with a plain computation of Loop's score.
@Suite("Habit strength")
struct HabitStrengthTests {
  private static let first: CivilDate = "2026-01-01"

  private func strength(
    of habit: Habit, _ days: StoreState.Days, lasting count: Int
  ) throws -> Double {
    var habit = habit
    habit.start = Self.first
    return Adherence(
      of: habit, created: Self.first, days: days, pauses: [],
      today: Self.first.adding(days: count - 1),
      calendar: CivilCalendar(zone: try #require(TimeZone(identifier: "Europe/Berlin")))
    ).strength
  }

  /// Computes Loop's score: the multiplier of a date is 0.5 to the power of √frequency / 13.
  private func loopScore(
    _ values: [Double], isSkipped: Set<Int> = [], times: Int, days: Int, isCounted: Bool,
    maximum: Bool = false
  ) -> Double {
    let frequency = Double(times) / Double(days)
    let multiplier = pow(0.5, frequency.squareRoot() / 13)
    let factor = !isCounted && frequency < 1 ? 2 : 1
    var score = maximum ? 1.0 : 0
    for index in values.indices where !isSkipped.contains(index) {
      let sum = values[max(0, index + 1 - factor * days)...index].reduce(0, +)
      let part = sum / Double(factor * (isCounted ? 1 : times))
      let kept = maximum ? max(0, min(1, 2 - part)) : min(1, part)
      score = score * multiplier + kept * (1 - multiplier)
    }
    return score
  }

  @Test(
    "A habit that Loop has as well has Loop's score",
    arguments: [(1, 1), (3, 7), (1, 7), (5, 7), (7, 7), (2, 30), (1, 5)])
  func yesNo(times: Int, days: Int) throws {
    for seed in TestSeed.first(20) {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 1...200, using: &random)
      let likelihood = Int.random(in: 1...10, using: &random)
      let done = (0..<count).map { _ in Int.random(in: 0..<10, using: &random) < likelihood }
      let skipped = Set((0..<count).filter { !done[$0] && $0 % 11 == 3 })
      var known: StoreState.Days = [:]
      for index in 0..<count where done[index] || skipped.contains(index) {
        known[Self.first.adding(days: index)] =
          done[index]
          ? StoreState.Day(amount: 1, entryCount: 1) : StoreState.Day(mark: .skip)
      }
      var habit = Habit("Run")
      habit.goal = Quota(count: times, per: .rolling(days: days))
      let expected = loopScore(
        done.map { $0 ? 1 : 0 }, isSkipped: skipped, times: times, days: days, isCounted: false)
      #expect(
        abs(try strength(of: habit, known, lasting: count) - expected) < 1e-9,
        "seed \(seed), \(times) in \(days), \(count) dates")
    }
  }

  @Test(
    "A counted habit has Loop's score, with a minimum and with a maximum",
    arguments: [(1, false), (7, false), (1, true), (7, true)])
  func counted(days: Int, maximum: Bool) throws {
    for seed in TestSeed.first(20) {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 1...200, using: &random)
      let amounts = (0..<count).map { _ in Int.random(in: 0...6, using: &random) }
      var known: StoreState.Days = [:]
      for (index, amount) in amounts.enumerated() where amount > 0 {
        known[Self.first.adding(days: index)] = StoreState.Day(
          amount: Amount(thousandths: Int64(amount) * 1_000), entryCount: 1)
      }
      var habit = Habit("Water")
      (habit.kind, habit.target, habit.direction) = (.count, 4, maximum ? .atMost : .atLeast)
      habit.goal = Quota(count: 1, per: .rolling(days: days))
      let expected = loopScore(
        amounts.map { Double($0) / 4 }, times: 1, days: days, isCounted: true, maximum: maximum)
      #expect(
        abs(try strength(of: habit, known, lasting: count) - expected) < 1e-9,
        "seed \(seed), \(days) days, \(count) dates")
    }
  }

  @Test("A daily habit has half of its strength after 13 days, and misses cost it")
  func daily() throws {
    let days = StoreState.Days(
      (0..<13).map {
        (Self.first.adding(days: $0), StoreState.Day(amount: 1, entryCount: 1))
      })
    #expect(abs(try strength(of: Habit("Walk"), days, lasting: 13) - 0.5) < 1e-9)
    #expect(abs(try strength(of: Habit("Walk"), days, lasting: 26) - 0.25) < 1e-9)
  }

  @Test("Only due dates count without a goal, and a late date counts as kept")
  func weekly() throws {
    // 2026-01-05 is a Monday; each Monday is done on Tuesday.
    let habit = Habit("Bins", .weekly(on: [.monday], at: ["07:00"]))
    let late = StoreState.Days(
      (0..<10).map {
        (Self.first.adding(days: 5 + 7 * $0), StoreState.Day(amount: 1, entryCount: 1))
      })
    let onTime = StoreState.Days(late.map { ($0.date.adding(days: -1), $0.day) })
    let strength = try strength(of: habit, onTime, lasting: 70)
    #expect(try self.strength(of: habit, late, lasting: 70) == strength)
    // Ten due dates of 70 dates: half of the way takes 13 × √(1 / 7) = 4.91 due dates.
    #expect(abs(strength - (1 - pow(0.5, 10 / (13 * (1.0 / 7).squareRoot())))) < 1e-9)
  }
}
