package import Carillon
package import CarillonModel

/// A year of a habit: what was recorded on each date, and how strong the habit was.
package struct MapDocument: Sendable {
  private let habit: HabitID
  private let dates: ClosedRange<CivilDate>
  private let days: StoreState.Days
  private let adherence: Adherence

  /// The years that can be shown.
  package static let years = 1970...2200

  /// Reads a year of a habit from a store.
  ///
  /// - Parameter year: The calendar year; nil for the year until today.
  package init(_ store: Store, _ habit: Habit, year: Int? = nil) async throws {
    let today = try await store.today()
    let dates =
      year.flatMap { year -> ClosedRange<CivilDate>? in
        guard let first = CivilDate(year: year, month: 1, day: 1),
          let last = CivilDate(year: year, month: 12, day: 31)
        else { return nil }
        return first...last
      } ?? today.adding(days: -364)...today
    (days, adherence) = try await store.query { reader in
      (try reader.days(of: habit.id, in: dates), try reader.adherence(of: habit.id))
    }
    (self.habit, self.dates) = (habit.id, dates)
  }

  /// `{habit,from,to,first,days[{date,state,amount,entries,mark,strength}]}`: the dates from the
  /// habit's first one to today, the latest of the year last.
  package var json: JSON {
    let first = max(dates.lowerBound, adherence.first)
    let last = min(dates.upperBound, adherence.today)
    return [
      "habit": .text(habit), "from": .text(dates.lowerBound), "to": .text(dates.upperBound),
      "first": .text(adherence.first),
      "days": .array(first <= last ? Array(first...last) : []) { date in json(date) },
    ]
  }

  private func json(_ date: CivilDate) -> JSON {
    let day = days[date] ?? StoreState.Day()
    return [
      "date": .text(date), "state": .text(adherence[date].rawValue),
      "amount": .integer(day.amount.thousandths), "entries": .integer(day.entryCount),
      "mark": .text(day.mark.rawValue),
      "strength": .number(adherence.strengths[adherence.first.days(to: date)]),
    ]
  }
}
