internal import CarillonModel

/// A writer that encodes the usual entries and marks in one pass.
///
/// Most events are of these two kinds. It allocates only the result, which has the same bytes as
/// that of ``ProtobufWriter``.
enum RecordWriter {
  /// The lengths that protobuf writes in one byte.
  private static let shortLengths = 0...127

  /// Returns the payload of a mark or an imported entry.
  ///
  /// Returns nil for any other entry, for one that breaks a limit, and for a long one.
  static func payload(_ entry: EntryRecorded) -> [UInt8]? {
    guard CivilDate.accepted.contains(entry.date),
      (0...Amount.maxThousandths).contains(entry.value),
      (0..<Timestamp.clockLimit).contains(entry.at?.milliseconds ?? 0),
      shortLengths.contains(entry.note?.utf8.count ?? 0)
    else { return nil }
    var source: String?
    switch entry.kind {
    case .mark: break
    case .imported(let name):
      guard !name.isEmpty, shortLengths.contains(name.utf8.count) else { return nil }
      source = name
    case .amount, .occurrence: return nil
    }
    return message(.entryRecorded) { message in
      message.append(number: 1, entry.habit)
      message.append(number: 2, entry.date)
      if let source {
        message.append(number: 3, varint: 2)
        message.append(number: 6, delimited: source.utf8)
      }
      if entry.value != 1000 { message.append(number: 7, varint: UInt64(entry.value)) }
      if let at = entry.at { message.append(number: 8, varint: UInt64(at.milliseconds)) }
      if let note = entry.note { message.append(number: 9, delimited: note.utf8) }
    }
  }

  /// Returns the payload of a mark of dates; nil if it breaks a limit.
  static func payload(_ marked: DayMarked) -> [UInt8]? {
    guard CivilDate.accepted.contains(marked.first), CivilDate.accepted.contains(marked.last),
      (1...DayMarked.maxDays).contains(marked.first.days(to: marked.last) + 1)
    else { return nil }
    return message(.dayMarked) { message in
      message.append(number: 1, marked.habit)
      message.append(number: 2, marked.first)
      if marked.last != marked.first { message.append(number: 3, marked.last) }
      if marked.mark != .clear {
        message.append(number: 4, varint: UInt64(marked.mark.wireNumber))
      }
    }
  }

  /// Returns a payload of a kind; nil if its content is long.
  @inline(__always)
  private static func message(
    _ kind: Payload.Kind, _ write: (inout [UInt8]) -> Void
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    bytes.append(number: Int(kind.rawValue), delimited: EmptyCollection())
    let start = bytes.count
    write(&bytes)
    guard shortLengths.contains(bytes.count - start) else { return nil }
    // The length is the byte before the content.
    bytes[start - 1] = UInt8(bytes.count - start)
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(number: Int, _ habit: HabitID) {
    habit.withUnsafeBytes { append(number: number, delimited: $0) }
  }

  fileprivate mutating func append(number: Int, _ date: CivilDate) {
    // The sign is the lowest bit: protobuf's sint32.
    let day = date.rawValue
    append(number: number, varint: UInt64(UInt32(bitPattern: day << 1 ^ day >> 31)))
  }

  fileprivate mutating func append(number: Int, varint value: UInt64) {
    append(varint: UInt64(number) << 3)
    append(varint: value)
  }
}
