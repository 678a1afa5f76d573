import CarillonModel
import CarillonTestSupport
import Testing

@Suite("The dates of a habit")
struct DaysTests {
  @Test("Dates set and removed in any order are those of a dictionary, ascending")
  func anyOrder() {
    var generator = SeededGenerator(seed: TestSeed.value)
    var days = StoreState.Days()
    var expected: [CivilDate: StoreState.Day] = [:]
    for count in 0..<2_000 {
      let date = CivilDate(rawValue: .random(in: 0..<300, using: &generator))
      let day = count.isMultiple(of: 3) ? nil : StoreState.Day(entryCount: count)
      days[date] = day
      expected[date] = day
      #expect(days[date] == day, "seed \(TestSeed.value)")
    }
    #expect(days.map(\.date) == expected.keys.sorted())
    #expect(days.allSatisfy { expected[$0.date] == $0.day })
    #expect(days[CivilDate(rawValue: 300)] == nil)
  }

  @Test("A merge adds dates, and takes only the marks of dates that are there")
  func merge() {
    var days: StoreState.Days = [
      "2026-11-02": StoreState.Day(entryCount: 2), "2026-11-04": StoreState.Day(entryCount: 4),
    ]
    days.merge(marksOf: [
      "2026-11-01": StoreState.Day(mark: .skip), "2026-11-02": StoreState.Day(mark: .no),
      "2026-11-03": StoreState.Day(mark: .skip), "2026-11-05": StoreState.Day(mark: .skip),
    ])
    #expect(
      days == [
        "2026-11-01": StoreState.Day(mark: .skip),
        "2026-11-02": StoreState.Day(entryCount: 2, mark: .no),
        "2026-11-03": StoreState.Day(mark: .skip), "2026-11-04": StoreState.Day(entryCount: 4),
        "2026-11-05": StoreState.Day(mark: .skip),
      ])
  }
}
