internal import CarillonModel
internal import CarillonSync
internal import CarillonWire

/// Reads the events of a range from the log and builds the run to send.
struct OutgoingReader {
  /// The number of bytes left.
  private(set) var left: Int
  private let range: BranchRange
  /// The number of events that still fit.
  private let room: Int
  private var builder: RunBuilder
  private var isFull = false

  init(_ range: BranchRange, byteBudget: Int, room: Int) {
    self.range = range
    left = byteBudget
    self.room = room
    builder = RunBuilder(
      range.branch, range.reference, from: range.sequences.lowerBound, after: nil)
  }

  /// Whether the whole range was read, apart from a suspect event that no later event confirms.
  var isComplete: Bool { !isFull }

  /// The run to send.
  var finished: OutgoingRun { range.isWanted ? builder.run : builder.run.vouched }

  /// Adds the next event of the branch.
  ///
  /// Returns false when no more events are wanted.
  mutating func take(_ event: RawEvent) -> Bool {
    guard event.sequence.rawValue >= range.sequences.lowerBound else {
      builder = RunBuilder(
        range.branch, range.reference, from: range.sequences.lowerBound, after: event.id)
      return true
    }
    if range.isWanted {
      // The receiver refuses damaged content, but the content may be intact under another ID.
      if !event.isMissing { builder.append(event) }
      return false
    }
    left -= SyncRun.maxBytes(ofPayload: event.payload.count)
    guard left >= 0, builder.count < room else {
      isFull = true
      return false
    }
    builder.add(event)
    // A damaged event needs one more event after it, to confirm its ID.
    return event.sequence.rawValue < range.sequences.upperBound || builder.hasSuspect
  }
}
