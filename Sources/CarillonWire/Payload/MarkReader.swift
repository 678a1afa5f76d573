internal import CarillonModel

/// A reader that decodes a `day.marked` in one pass.
///
/// After entries, most events of a log are of this kind. This reader allocates nothing and has the
/// same result as ``ProtobufReader``.
enum MarkReader {
  static func dayMarked(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> DayMarked {
    var habit: UnsafeRawBufferPointer?
    var (first, last): (CivilDate?, CivilDate?)
    var number = 0
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .varint): first = field.date
      case (3, .varint): last = field.date
      case (4, .varint): number = field.enumerationNumber
      default: break
      }
    }
    guard let habit, habit.count == HabitID.byteCount, let first,
      CivilDate.accepted.contains(first), CivilDate.accepted.contains(last ?? first),
      (1...DayMarked.maxDays).contains(first.days(to: last ?? first) + 1),
      let mark = DayMark(wireNumber: number)
    else { return try ProtobufReader.described(bytes) }
    return DayMarked(
      habit: HabitID(loading: habit), first: first, last: last ?? first, mark: mark)
  }
}

extension DayMark {
  /// The number of the mark in protobuf, without a search through all names.
  var wireNumber: Int {
    switch self {
    case .clear: 0
    case .skip: 1
    case .no: 2
    }
  }

  init?(wireNumber: Int) {
    switch wireNumber {
    case 0: self = .clear
    case 1: self = .skip
    case 2: self = .no
    default: return nil
    }
  }
}
