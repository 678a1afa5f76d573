internal import CarillonModel
internal import CarillonWire

/// Packs runs into messages of a limited size, and takes them out again.
struct MessageComposer: Sendable {
  private let options: SyncOptions
  /// What deflate made of the last full message, a little on the safe side.
  private var ratio = 1.0

  init(options: SyncOptions) {
    self.options = options
  }

  /// Runs take at most this many times a message's limit once they are inflated.
  private static let maxInflation = 8
  /// Up to here deflate takes its time: so few bytes cost little, and the messages are those
  /// that people wait for.
  private static let maxSmallBytes = 32_768
  /// Prefix and length of the field that holds the events.
  private static let fieldOverhead = 8

  /// How many bytes of runs to read for a message that holds the rest already.
  func byteBudget(beside message: SyncMessage, limit: Int) -> Int {
    let room = limit - message.encoded().count - Self.fieldOverhead
    guard room > 0 else { return 0 }
    guard options.deflatesFullMessages else { return room }
    return min(limit * Self.maxInflation, Int(Double(room) / ratio))
  }

  /// The message with as many of the runs as fit, as bytes, and those that did.
  mutating func compose(
    _ message: SyncMessage, runs: [OutgoingRun], limit: Int
  ) -> (bytes: [UInt8], runs: [OutgoingRun]) {
    guard !runs.isEmpty else { return (message.encoded(), []) }
    let bytes = pack(message, runs: runs)
    guard bytes.count > limit else { return (bytes, runs) }
    // Deflate did less than it promised: what fits as it is fits in any case.
    let room = limit - message.encoded().count - Self.fieldOverhead
    let cut = Self.prefix(of: runs, byteBudget: room)
    return (pack(message, runs: cut), cut)
  }

  private mutating func pack(_ message: SyncMessage, runs: [OutgoingRun]) -> [UInt8] {
    guard !runs.isEmpty else { return message.encoded() }
    let plain = SyncRun.encode(runs.map(\.run))
    let isFull = plain.count > Self.maxSmallBytes
    var message = message
    message.events = .stored(plain)
    if !isFull || options.deflatesFullMessages {
      let deflated = Deflate.deflated(plain, level: isFull ? 1 : 6)
      if let deflated { message.events = .deflated(deflated) }
      if isFull {
        let reached = Double(deflated?.count ?? plain.count) / Double(plain.count)
        ratio = min(1, max(1 / Double(Self.maxInflation), reached * 1.05))
      }
    }
    return message.encoded()
  }

  /// The runs, or as many of their events as fit into bytes.
  private static func prefix(of runs: [OutgoingRun], byteBudget: Int) -> [OutgoingRun] {
    var left = byteBudget
    var kept: [OutgoingRun] = []
    for run in runs {
      guard let cut = run.prefix(byteBudget: left) else { break }
      kept.append(cut)
      guard cut.run.count == run.run.count else { break }
      left -= cut.maxBytes
    }
    return kept
  }

  /// The runs of a message.
  ///
  /// - Parameter limit: What this side takes in one message; bounds what is inflated.
  /// - Throws: `malformed`.
  static func runs(of message: SyncMessage, limit: Int) throws(ModelError) -> [SyncRun] {
    switch message.events {
    case .none: return []
    case .stored(let bytes): return try SyncRun.decode(bytes)
    case .deflated(let bytes):
      guard let plain = Deflate.inflated(bytes, limit: limit * maxInflation) else {
        throw ModelError(
          code: .malformed,
          message: "sync events: no deflate stream, or over \(limit * maxInflation) bytes")
      }
      return try SyncRun.decode(plain)
    }
  }
}
