package import CarillonImport
import CarillonModel

extension ImportReport {
  /// `{format,habits,schedules,entries,skips,marks,notes,updated,seen,repeated,ignored{...}}`.
  package func json(_ format: ImportFormat) -> JSON {
    [
      "format": .text(format.rawValue), "habits": .integer(habits),
      "schedules": .integer(schedules), "entries": .integer(entries),
      "skips": .integer(skips), "marks": .integer(marks),
      "notes": .integer(notes),
      "updated": .integer(updated), "seen": .integer(seen), "repeated": .integer(repeated),
      "ignored": .object(losses.map { (key: $0.0.rawValue, value: .integer($0.1.count)) }),
    ]
  }

  /// The losses, in the order of the reasons.
  package var losses: [(Reason, Loss)] {
    Reason.allCases.compactMap { reason in ignored[reason].map { (reason, $0) } }
  }
}
