import CarillonModel
import Testing

/// The conditions `quota` and `entry`.
@Suite struct QuotaTests {
  /// A Wednesday.
  private static let today: CivilDate = "2026-11-25"

  private func reasons(
    _ quota: String?, done: [CivilDate], goal: String? = nil, horizonDays: Int = 12
  ) -> [CivilDate: Explanation.Reason] {
    var habit = Habit("Gym", .daily(at: ["17:00"], unless: .quota))
    habit.schedules[0].quota = quota.flatMap { Quota($0) }
    habit.goal = goal.flatMap { Quota($0) }
    var fixture = PlanFixture("UTC", habit)
    fixture.horizonDays = horizonDays
    for date in done { fixture.markDone(habit, on: date) }
    let planner = fixture.planner(at: instant("2026-11-25T08:00Z"))
    let dates = (0..<9).map { Self.today.adding(days: $0) }
    return dates.reduce(into: [:]) { reasons, date in
      reasons[date] = planner.explain(habit.id, on: date).first?.reason
    }
  }

  private func silent(_ reasons: [CivilDate: Explanation.Reason]) -> [String] {
    reasons.filter { $0.value == .quotaMet }.keys.sorted().map(\.description)
  }

  @Test(
    "A quota per week counts from Monday to Sunday, and `done` takes precedence over `quotaMet`")
  func week() {
    #expect(silent(reasons("2/week", done: ["2026-11-22", "2026-11-24"])).isEmpty)
    let met = reasons("2/week", done: ["2026-11-23", "2026-11-25"])
    #expect(met[Self.today] == .done)
    #expect(silent(met) == ["2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29"])
  }

  @Test("A quota per month counts a calendar month")
  func month() {
    let met = reasons("2/month", done: ["2026-10-31", "2026-11-01", "2026-11-02"])
    #expect(silent(met).last == "2026-11-30" && silent(met).first == "2026-11-25")
    #expect(silent(reasons("2/month", done: ["2026-10-31", "2026-11-02"])).isEmpty)
  }

  @Test("Rolling days end with the due date, and the goal is the default quota")
  func rolling() {
    let done: [CivilDate] = ["2026-11-23", "2026-11-24"]
    for reasons in [reasons("2/5d", done: done), reasons(nil, done: done, goal: "2/5d")] {
      #expect(silent(reasons) == ["2026-11-25", "2026-11-26", "2026-11-27"])
    }
    #expect(silent(reasons(nil, done: done)).isEmpty)
  }

  @Test("A quota per day counts the sum of amounts, even below the habit's target")
  func day() {
    var habit = Habit("Water", .daily(at: ["17:00"], unless: .quota))
    habit.schedules[0].quota = Quota("3/day")
    habit.kind = .count
    habit.target = 8
    var fixture = PlanFixture("UTC", habit)
    for (amount, reason) in [
      (2_999, Explanation.Reason.planned), (3_000, .quotaMet), (8_000, .done),
    ] {
      fixture.state.days[habit.id] = [
        Self.today: StoreState.Day(amount: Amount(thousandths: Int64(amount)), entryCount: 1)
      ]
      let found = fixture.planner(at: instant("2026-11-25T08:00Z"))
        .explain(habit.id, on: Self.today)
      #expect(found.map(\.reason) == [reason], "\(amount)")
    }
  }

  @Test(
    "An amount below the target and an explicit \"no\" count as an entry; a cleared mark does not")
  func anyEntry() {
    let habit = Habit("Run", .daily(at: ["17:00"], unless: .entry))
    var fixture = PlanFixture("UTC", habit)
    for (day, reason) in [
      (StoreState.Day(), Explanation.Reason.planned), (StoreState.Day(mark: .no), .anyEntry),
      (StoreState.Day(amount: 0.001, entryCount: 1), .anyEntry),
      (StoreState.Day(mark: .skip), .skipped),
    ] {
      fixture.state.days[habit.id] = [Self.today: day]
      let found = fixture.planner(at: instant("2026-11-25T08:00Z"))
        .explain(habit.id, on: Self.today)
      #expect(found.map(\.reason) == [reason], "\(day)")
    }
  }
}
