internal import CarillonModel
internal import CarillonWire

/// The sums of a habit's older dates, which its statistics read in place of thousands of entries.
///
/// An entry of one of these dates that arrives later removes them, and so does the withdrawal of a
/// recording that they may contain, see ``KeptDaysRemoval``. They are added up again after the next
/// query that reads all dates of the habit.
struct KeptDays: Equatable {
  /// The last date.
  let through: CivilDate
  /// The number of entries of each date and the sum of their amounts, without marks.
  var days: StoreState.Days

  /// The number of recordings after the kept dates from which on these are added up again.
  static let recordingCount = 1_000
  /// The number of last dates that are not kept, since most changes are made to them.
  static let recentCount = 31

  /// Creates the sums of all but the last dates with entries; nil if there are not enough dates.
  init?(of all: StoreState.Days) {
    let dates = all.filter { $0.day.entryCount > 0 }.map(\.date)
    guard dates.count > Self.recentCount else { return nil }
    self.init(of: all, through: dates[dates.count - 1 - Self.recentCount])
  }

  /// Creates the sums of the dates up to one.
  init(of all: StoreState.Days, through: CivilDate) {
    self.through = through
    days = StoreState.Days()
    for (date, day) in all where date <= through && day.entryCount > 0 {
      days[date] = StoreState.Day(amount: day.amount, entryCount: day.entryCount)
    }
  }

  /// Creates the sums from the columns `through` and `days`.
  init(through: CivilDate, bytes: UnsafeRawBufferPointer) throws {
    self.through = through
    var days = StoreState.Days()
    var (reader, last) = (WireReader(bytes), Int64(Int32.min))
    while !reader.isAtEnd {
      // A number that cannot be read is damage.
      guard let step = (try? reader.nextPacked()).flatMap(Int64.init(exactly:)),
        let entryCount = (try? reader.nextPacked()).flatMap(Int.init(exactly:)),
        let amount = try? reader.nextPacked(),
        step > 0 || days.isEmpty,
        let date = Int32(exactly: last.addingReportingOverflow(step).partialValue)
      else { throw Statement.damagedValue }
      last = Int64(date)
      days[CivilDate(rawValue: date)] = StoreState.Day(
        amount: Amount(thousandths: Int64(bitPattern: amount)), entryCount: entryCount)
    }
    self.days = days
  }

  /// The column `days`.
  var bytes: [UInt8] {
    var (bytes, last) = ([UInt8](), Int64(Int32.min))
    bytes.reserveCapacity(days.count * 4)
    for (date, day) in days {
      bytes.append(varint: UInt64(Int64(date.rawValue) - last))
      bytes.append(varint: UInt64(day.entryCount))
      bytes.append(varint: UInt64(bitPattern: day.amount.thousandths))
      last = Int64(date.rawValue)
    }
    return bytes
  }
}
