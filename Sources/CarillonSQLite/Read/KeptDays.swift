internal import CarillonModel

/// The sums of a habit's older dates, which its statistics read in place of thousands of entries.
///
/// An entry of one of these dates that arrives later removes them, and so does the withdrawal of a
/// recording that they may contain, see ``KeptDaysRemoval``. They are added up again after the next
/// query that reads all dates of the habit.
struct KeptDays: Equatable {
  /// The last date.
  let through: CivilDate
  /// The number of entries of each date and the sum of their amounts, without marks.
  let days: [CivilDate: StoreState.Day]

  /// The number of recordings after the kept dates from which on these are added up again.
  static let recordingCount = 1_000
  /// The number of last dates that are not kept, since most changes are made to them.
  static let recentCount = 31

  /// Creates the sums of all but the last dates with entries; nil if there are not enough dates.
  init?(of all: [CivilDate: StoreState.Day]) {
    let dates = all.filter { $0.value.entryCount > 0 }.keys.sorted()
    guard dates.count > Self.recentCount else { return nil }
    self.init(of: all, through: dates[dates.count - 1 - Self.recentCount])
  }

  /// Creates the sums of the dates up to one.
  init(of all: [CivilDate: StoreState.Day], through: CivilDate) {
    self.through = through
    days = all.filter { $0.key <= through && $0.value.entryCount > 0 }.mapValues {
      StoreState.Day(amount: $0.amount, entryCount: $0.entryCount)
    }
  }

  /// Creates the sums from the columns `through` and `days`.
  init(through: CivilDate, bytes: UnsafeRawBufferPointer) throws {
    self.through = through
    var days: [CivilDate: StoreState.Day] = [:]
    // Most dates take 4 bytes.
    days.reserveCapacity(bytes.count / 4)
    var (rest, last) = (bytes[...], Int64(Int32.min))
    while !rest.isEmpty {
      let step = Int64(exactly: try rest.popNumber())
      let entryCount = Int(exactly: try rest.popNumber())
      let amount = Int64(bitPattern: try rest.popNumber())
      guard let step, let entryCount,
        let date = Int32(exactly: last.addingReportingOverflow(step).partialValue)
      else { throw Statement.damagedValue }
      last = Int64(date)
      days[CivilDate(rawValue: date)] = StoreState.Day(
        amount: Amount(thousandths: amount), entryCount: entryCount)
    }
    self.days = days
  }

  /// The column `days`.
  var bytes: [UInt8] {
    var (bytes, last) = ([UInt8](), Int64(Int32.min))
    bytes.reserveCapacity(days.count * 4)
    for (date, day) in days.sorted(by: { $0.key < $1.key }) {
      bytes.append(number: UInt64(Int64(date.rawValue) - last))
      bytes.append(number: UInt64(day.entryCount))
      bytes.append(number: UInt64(bitPattern: day.amount.thousandths))
      last = Int64(date.rawValue)
    }
    return bytes
  }
}

extension [UInt8] {
  /// Appends a number in groups of 7 bits, the lowest first; all but the last byte have the top bit
  /// set.
  fileprivate mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// Removes a number from the front, and returns it.
  fileprivate mutating func popNumber() throws -> UInt64 {
    var (number, shift) = (UInt64(0), UInt64(0))
    while shift < 64, let byte = popFirst() {
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    throw Statement.damagedValue
  }
}
