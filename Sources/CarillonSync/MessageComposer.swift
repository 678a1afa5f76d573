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
  ///
  /// - Parameter dictionary: The identifiers that are sent by number, if events are small or
  ///   deflated; nil to send payloads as they are.
  mutating func compose(
    _ message: SyncMessage, runs: [OutgoingRun], limit: Int, dictionary: IdentifierTable?
  ) -> (bytes: [UInt8], runs: [OutgoingRun]) {
    guard !runs.isEmpty else { return (message.encoded(), []) }
    let bytes = pack(message, runs: runs, dictionary: dictionary)
    guard bytes.count > limit else { return (bytes, runs) }
    // The events compressed worse than expected: cut them to what fits as it is.
    var message = message
    message.dictionary = nil
    let room = limit - message.encoded().count - Self.fieldOverhead
    let cut = Self.prefix(of: runs, byteBudget: room)
    return (pack(message, runs: cut, dictionary: nil), cut)
  }

  private mutating func pack(
    _ message: SyncMessage, runs: [OutgoingRun], dictionary: IdentifierTable?
  ) -> [UInt8] {
    guard !runs.isEmpty else { return message.encoded() }
    let size = Self.maxBytes(of: runs)
    let isFull = size > Self.maxSmallBytes
    let deflates = !isFull || options.deflatesFullMessages
    let plain = SyncRun.encode(runs.map(\.run), dictionary: deflates ? dictionary : nil)
    var message = message
    message.events = .stored(plain)
    if deflates {
      let deflated = Deflate.deflated(plain, level: isFull ? 1 : 6)
      if let deflated { message.events = .deflated(deflated) }
      if isFull {
        let reached = Double(deflated?.count ?? plain.count) / Double(size)
        ratio = min(1, max(1 / Double(Self.maxInflation), reached * 1.05))
      }
    }
    return message.encoded()
  }

  /// Whether runs are so small that the better deflate level and a dictionary are worth their cost.
  static func areSmall(_ runs: [OutgoingRun]) -> Bool { maxBytes(of: runs) <= maxSmallBytes }

  private static func maxBytes(of runs: [OutgoingRun]) -> Int {
    runs.reduce(0) { $0 + $1.maxBytes }
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
  /// - Parameters:
  ///   - limit: The most bytes this side accepts in one message; also bounds inflating.
  ///   - dictionary: The identifiers that are sent by number.
  /// - Throws: `malformed`.
  static func runs(
    of message: SyncMessage, limit: Int, dictionary: IdentifierTable
  ) throws(ModelError) -> [SyncRun] {
    let limit = limit * maxInflation
    let plain: [UInt8]
    switch message.events {
    case .none: return []
    case .stored(let bytes): plain = bytes
    case .deflated(let bytes):
      guard let inflated = Deflate.inflated(bytes, limit: limit) else {
        throw ModelError(
          code: .malformed,
          message: "sync events: not a deflate stream, or more than \(limit) bytes")
      }
      plain = inflated
    }
    return try SyncRun.decode(plain, dictionary: dictionary, maxPayloadBytes: limit)
  }
}
