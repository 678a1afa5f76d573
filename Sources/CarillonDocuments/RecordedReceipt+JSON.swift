package import Carillon
import CarillonModel

extension RecordedReceipt {
  /// `{key}` with the `nominal` time of a reminder, and with what the notification `covers[]` if it
  /// is a digest.
  ///
  /// - Parameter key: The ID of the notification, as it was given.
  package func json(key: String) -> JSON {
    var ids: JSON = ["key": .text(key)]
    if case .occurrence(let occurrence) = subject {
      ids = ids.merging(["nominal": .text(occurrence.nominal.description)])
    }
    return subjects.count > 1 ? ids.merging(["covers": .array(subjects, \.json)]) : ids
  }
}

extension ReceiptSubject {
  /// `{habit,schedule,nominal}` of a reminder.
  fileprivate var json: JSON {
    guard case .occurrence(let occurrence) = self else {
      return ["key": .text(notificationID.description)]
    }
    return [
      "habit": .text(occurrence.habit.description),
      "schedule": .text(occurrence.schedule.description),
      "nominal": .text(occurrence.nominal.description),
    ]
  }
}
