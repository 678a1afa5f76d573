package import CarillonModel

extension Adherence {
  /// `{goal, strength, streak, longestStreak, first, weeks[{from,to,done,due}], months[...]}`: the
  /// goal over several days, also if it is a quota, the strength from 0 to 1, the last 8 weeks and
  /// 12 months.
  package var json: JSON {
    func periods(_ periods: [Period]) -> JSON {
      .array(periods) { period in
        [
          "from": .text(period.dates.lowerBound.description),
          "to": .text(period.dates.upperBound.description), "done": .integer(period.done),
          "due": .integer(period.due),
        ]
      }
    }
    return [
      "goal": .text(goal?.description), "strength": .number(strength),
      "streak": .integer(streak?.length ?? 0),
      "longestStreak": .integer(longest?.length ?? 0),
      "first": .text(first.description), "weeks": periods(weeks(8)), "months": periods(months(12)),
    ]
  }
}
