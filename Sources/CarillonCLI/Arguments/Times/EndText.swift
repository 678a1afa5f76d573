import Carillon
import CarillonDocuments
import CarillonModel

/// The end of a period of the past: a moment, or a date, which is included.
struct EndText: ArgumentValue {
  private enum Form {
    case date(DateText)
    case moment(InstantText)
  }

  private let form: Form

  static let form =
    "a date or a time, such as yesterday or 2026-11-23T17:00; see carillon help times"

  init(argument: String) throws(ArgumentProblem) {
    if let moment = try? InstantText(argument: argument) {
      form = .moment(moment)
    } else if argument.wholeMatch(of: /\d{1,2}:\d\d:\d\d/) != nil {
      throw ArgumentProblem("\"\(argument)\" has seconds, which require a date before the time")
    } else {
      form = .date(try DateText(argument: argument))
    }
  }

  /// Returns the last instant of the period.
  func resolved(_ time: LocalTime) -> ResolvedMoment {
    let calendar = CivilCalendar(zone: time.zone)
    let today = calendar.dateTime(at: time.now).date
    switch form {
    case .moment(let moment): return moment.resolved(in: time.zone, .past, today: today)
    case .date(let date):
      let next = calendar.firstInstant(of: date.date(.past, today: today).adding(days: 1))
      return ResolvedMoment(
        instant: Instant(milliseconds: next.milliseconds - 1), zone: time.zone, asked: nil)
    }
  }
}
