import CarillonDocuments
import CarillonImport
import CarillonModel

extension ExportReport {
  /// `{habits,reminders,entries,leftOut[{reason,habit,title,schedule}]}`.
  var json: JSON {
    [
      "habits": .integer(habits), "reminders": .integer(reminders), "entries": .integer(entries),
      "leftOut": .array(losses) { loss in
        [
          "reason": .text(loss.reason.rawValue), "habit": .text(loss.habit.description),
          "title": .text(loss.title), "schedule": .text(loss.schedule?.description),
        ]
      },
    ]
  }

  /// One sentence for each reason, with the titles of the first habits.
  func lossTexts() -> [String] {
    Reason.allCases.compactMap { reason in
      let found = losses.filter { $0.reason == reason }
      guard !found.isEmpty else { return nil }
      var titles: [String] = []
      for loss in found where !titles.contains(loss.title) { titles.append(loss.title) }
      let rest = titles.count > Self.shownCount ? " and \(titles.count - Self.shownCount) more" : ""
      let names = titles.prefix(Self.shownCount).joined(separator: ", ")
      return "\(reason.text): \(names)\(rest)"
    }
  }

  /// What was written, such as `2 habits, 3 reminders and 5 dates`.
  var counts: String {
    let parts = [habits.counted("habit"), reminders.counted("reminder")]
    return entries == 0
      ? parts.joined(separator: " and ")
      : parts.joined(separator: ", ") + " and " + entries.counted("date")
  }

  private static let shownCount = 3
}

extension ExportReport.Reason {
  fileprivate var text: String {
    switch self {
    case .places: "left out reminders at places"
    case .intervals: "left out reminders at intervals of elapsed time"
    case .unknown: "left out reminders with an unknown rule or time zone"
    case .rules: "left out reminders with several rules or an excluded one"
    case .dates: "left out reminders with too many single dates"
    case .conditions: "left out the conditions of reminders"
    case .settings: "left out quiet hours, stops, sounds and other settings of reminders"
    case .targets: "left out targets, units and goals"
    case .owners: "left out which device reminds"
    case .pauses: "ended reminders of paused habits; export again when they are resumed"
    case .skips: "kept some skipped or paused dates of reminders with too many of them"
    case .reminders: "left out reminders other than one time on weekdays"
    case .goals: "wrote the goal of once a day for habits without one"
    case .properties: "left out groups, owners, and first and last dates"
    case .values: "left out amounts that Loop cannot store"
    case .habits: "left out archived habits"
    }
  }
}
