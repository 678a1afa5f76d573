internal import CarillonModel
internal import CarillonWire

/// A composer that packs runs into messages of limited size and unpacks them.
struct MessageComposer: Sendable {
  private let options: SyncOptions
  /// The compression ratio of the last full message, with a small safety margin.
  private var ratio = 1.0

  init(options: SyncOptions) {
    self.options = options
  }

  /// The maximum inflated size of the runs in a message, as a multiple of the message limit.
  private static let maxInflation = 8
  /// The size up to which the slower, better deflate level is used.
  ///
  /// Compressing so few bytes is cheap, and these are the messages that people wait for.
  private static let maxSmallBytes = 32_768
  /// The tag and length of the field that holds the events.
  private static let fieldOverhead = 8

  /// Returns how many bytes of runs to read for a message with the given other fields.
  func byteBudget(alongside message: SyncMessage, limit: Int) -> Int {
    let room = limit - message.encoded().count - Self.fieldOverhead
    guard room > 0 else { return 0 }
    guard options.deflatesFullMessages else { return room }
    return min(limit * Self.maxInflation, Int(Double(room) / ratio))
  }

  /// Encodes the message with as many of the runs as fit, and returns its bytes and those runs.
  mutating func compose(
    _ message: SyncMessage, runs: [OutgoingRun], limit: Int
  ) -> (bytes: [UInt8], runs: [OutgoingRun]) {
    guard !runs.isEmpty else { return (message.encoded(), []) }
    let bytes = pack(message, runs: runs)
    guard bytes.count > limit else { return (bytes, runs) }
    // The events compressed worse than expected: cut them to what fits uncompressed.
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

  /// Returns the runs, or as many of their events as fit into `byteBudget`.
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

  /// Decodes the runs of a message.
  ///
  /// - Parameter limit: The most bytes this side accepts in one message; also bounds inflating.
  /// - Throws: `malformed`.
  static func runs(of message: SyncMessage, limit: Int) throws(ModelError) -> [SyncRun] {
    switch message.events {
    case .none: return []
    case .stored(let bytes): return try SyncRun.decode(bytes)
    case .deflated(let bytes):
      guard let plain = Deflate.inflated(bytes, limit: limit * maxInflation) else {
        throw ModelError(
          code: .malformed,
          message: "sync events: not a deflate stream, or more than \(limit * maxInflation) bytes")
      }
      return try SyncRun.decode(plain)
    }
  }
}
