#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes

extension Answer {
  /// Creates the answer to a change: the IDs that it concerns, and the events that were written.
  init(_ written: Written, _ ids: JSON = [:], _ status: HTTPResponse.Status = .ok) {
    self.init(ids.merging(written.json), status, eventCount: written.events.count)
  }

  /// Creates the answer to what was recorded for a date of a habit.
  init(_ written: Written, of habit: HabitID, _ ids: JSON = [:]) {
    let place: JSON = ["habit": .text(habit), "date": .text(written.date)]
    self.init(written, place.merging(ids))
  }
}
#endif
