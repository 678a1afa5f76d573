package import Carillon
package import CarillonModel
package import Foundation

/// The whole dates that the all-day events of a calendar file cover, such as holidays.
package struct CalendarDates: Sendable {
  /// The dates.
  package private(set) var dates: Set<CivilDate> = []
  /// What was left out.
  package let ignored: [ImportReport.Reason: ImportReport.Loss]

  /// Reads a file, whose recurring events are expanded within a range of dates.
  ///
  /// Events with a time, to-dos and cancelled events cover no date.
  ///
  /// - Throws: `notFound`, `invalidValue` naming the file and the line, `io`.
  package init(_ file: URL, in range: ClosedRange<CivilDate>) throws(StoreError) {
    let (dates, ignored) = try StoreError.translating {
      let calendar = try ICalendar(
        seriesOf: ICalendar.contents(of: file), named: file.lastPathComponent)
      var (dates, ignored) = (Set<CivilDate>(), calendar.ignored)
      for series in calendar.series where !calendar.refused.contains(series.key) {
        do {
          dates.formUnion(try series.wholeDates(in: range, calendar.zones))
        } catch let loss as CalendarLoss {
          ignored.add(loss.reason, at: loss.place)
        }
      }
      return (dates, ignored)
    }
    (self.dates, self.ignored) = (dates, ignored)
  }
}

extension CalendarSeries {
  /// Returns the dates of all-day events in a range.
  fileprivate func wholeDates(
    in range: ClosedRange<CivilDate>, _ zones: CalendarZones
  ) throws -> Set<CivilDate> {
    var dates: Set<CivilDate> = []
    var without = whole?.exceptions ?? []
    for instance in instances {
      if let moment = instance.instance { without.append(moment) }
      guard instance.isWholeDate, let start = instance.start else { continue }
      dates.formUnion(instance.covered(from: start.moment.date, in: range))
    }
    guard let whole, whole.isWholeDate, let start = whole.start else { return dates }
    let exceptions = without.map { zones.moment($0, like: start) }
    guard !whole.rules.isEmpty || !whole.additions.isEmpty else {
      if !exceptions.contains(start.moment) {
        dates.formUnion(whole.covered(from: start.moment.date, in: range))
      }
      return dates
    }
    let base = try CalendarBase(whole, from: start, without: exceptions, zones)
    guard case .recurrence(let recurrence) = base.rule else { return dates }
    let first = range.lowerBound.adding(days: 1 - whole.dayCount)
    let instances = recurrence.instances(
      from: CivilDateTime(date: first, time: .midnight), through: range.upperBound)
    for moment in instances {
      dates.formUnion(whole.covered(from: moment.date, in: range))
    }
    return dates
  }
}

extension CalendarEvent {
  /// Whether it is an event of whole dates that takes place.
  fileprivate var isWholeDate: Bool { start?.isDate == true && !isToDo && !isCancelled }

  /// The number of dates from the first to the last.
  fileprivate var dayCount: Int { min(max(1, (minutes + 720) / 1_440), 100_000) }

  /// Returns the dates of an instance that begins on a date, as far as they are in a range.
  fileprivate func covered(
    from date: CivilDate, in range: ClosedRange<CivilDate>
  ) -> [CivilDate] {
    let first = max(date, range.lowerBound)
    let last = min(date.adding(days: dayCount - 1), range.upperBound)
    return first <= last ? Array(first...last) : []
  }
}
