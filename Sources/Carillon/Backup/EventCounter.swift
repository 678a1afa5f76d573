import CarillonModel

/// Counts the events of a backup, each once, and their bytes.
struct EventCounter {
  /// The number of different events.
  private(set) var count = 0
  /// The number of bytes of their payloads that a log keeps, at least.
  private(set) var payloadByteCount: Int64 = 0
  /// The ends of the IDs that were counted; nil if no event repeats.
  private var known: Set<UInt64>?

  /// - Parameter mayRepeat: Whether several devices made the files, so that a file may repeat
  ///   events of earlier ones. If not, the counter takes no memory.
  init(mayRepeat: Bool) {
    known = mayRepeat ? [] : nil
  }

  mutating func add(_ runs: [EventRun]) {
    guard known != nil else {
      count += runs.eventCount
      for run in runs { for item in run.items { addPayload(of: item) } }
      return
    }
    for run in runs {
      var (id, sequence) = (run.previous, run.firstSequence)
      for item in run.items {
        id = item.id(sequence: sequence, previous: id)
        sequence = sequence.next
        if known?.insert(id.suffix).inserted == true {
          count += 1
          addPayload(of: item)
        }
      }
    }
  }

  /// A payload that another event of the backup erases is replaced by a digest and an ID.
  private mutating func addPayload(of item: EventRun.Item) {
    payloadByteCount += Int64(min(item.payload.count, Self.redactedByteCount))
  }

  /// The digest, and the ID of the erasing event.
  private static let redactedByteCount = 64
}

extension [EventRun] {
  /// The number of events of all runs.
  var eventCount: Int { reduce(0) { $0 + $1.items.count } }
}
