internal import CarillonModel
internal import CarillonSync

/// Splits the bytes received from a pipe into messages: a greeting, then frames.
///
/// The greeting is the line `carillon-sync 1`. Bytes before it are noise, such as the output of a
/// login shell; their last line may be `carillon-store` with a `StoreID`, or `carillon-news`. A
/// frame is the message's length as 4 bytes, big-endian, followed by the message. An empty frame is
/// news: it says that the log of the peer has grown.
struct FrameReader {
  /// The line that each side sends first.
  static let greeting = Array("carillon-sync 1\n".utf8)
  /// The maximum number of noise bytes before the greeting.
  static let maxNoiseBytes = 65_536

  private static let name = Array("carillon-sync ".utf8)
  private static let maxVersionDigits = 10
  private static let maxShownCharacters = 200

  private static let storeName = Array("carillon-store ".utf8)

  /// The line before the greeting that asks the peer for news.
  static let newsRequest = Array("carillon-news\n".utf8)

  private let limit: Int
  private let acceptsNews: Bool
  /// The number of empty frames.
  private(set) var newsCount = 0
  /// Whether the peer asks for news.
  private(set) var asksForNews = false
  /// Whether the greeting has been received.
  private(set) var isGreeted = false
  /// The store that the peer named before its greeting; nil if it named none.
  private(set) var store: StoreID?
  private var pending: [UInt8] = []

  /// - Parameters:
  ///   - limit: The maximum size of a message in bytes.
  ///   - acceptsNews: Whether an empty frame is news, since this side asked for it.
  init(limit: Int, acceptsNews: Bool = false) {
    (self.limit, self.acceptsNews) = (limit, acceptsNews)
  }

  /// Adds received bytes, and returns the messages that they complete.
  ///
  /// - Throws: `malformed` for too much noise or an empty frame, `unsupportedVersion`,
  ///   `messageTooLarge`.
  mutating func take(_ bytes: some Collection<UInt8>) throws(SyncError) -> [[UInt8]] {
    pending += bytes
    if !isGreeted { isGreeted = try takeGreeting() }
    guard isGreeted else { return [] }
    var messages: [[UInt8]] = []
    var start = 0
    while pending.count - start >= 4 {
      let count = pending[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      guard count > 0 else {
        guard acceptsNews else {
          throw SyncError(code: .malformed, message: "the peer sent a frame without a message")
        }
        newsCount += 1
        start += 4
        continue
      }
      guard count <= limit else { throw .tooLarge(count, limit: limit) }
      guard pending.count - start >= 4 + count else { break }
      messages.append(Array(pending[start + 4..<start + 4 + count]))
      start += 4 + count
    }
    pending.removeFirst(start)
    return messages
  }

  /// Checks that the pipe ended after a complete message.
  ///
  /// - Throws: `malformed` if only noise was received, `unreachable` if a frame is incomplete.
  func end() throws(SyncError) {
    guard !pending.isEmpty else { return }
    guard isGreeted else { throw noise("and ended") }
    let expected =
      pending.count < 4
      ? "its length" : "\(pending.prefix(4).reduce(0) { $0 << 8 | Int($1) }) bytes"
    throw SyncError(
      code: .unreachable,
      message: "the transport ended within a message, after \(max(pending.count - 4, 0)) bytes of "
        + "\(expected)")
  }

  /// Returns the line that names a store; it is sent before the greeting.
  static func naming(_ store: StoreID) -> [UInt8] { storeName + "\(store)\n".utf8 }

  /// Returns a message as a frame.
  static func frame(_ message: [UInt8]) -> [UInt8] {
    let count = UInt32(clamping: message.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + message
  }

  // MARK: -

  /// Removes the greeting and the bytes before it.
  private mutating func takeGreeting() throws(SyncError) -> Bool {
    var place = 0
    var hasBegun = false
    while let found = Self.firstIndex(of: Self.name, in: pending, from: place) {
      guard found <= Self.maxNoiseBytes else { throw tooMuchNoise }
      let rest = pending[(found + Self.name.count)...]
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      hasBegun = digits.endIndex == rest.endIndex && digits.count <= Self.maxVersionDigits
      if hasBegun { break }
      guard rest[digits.endIndex...].first == 0x0A, !digits.isEmpty else {
        place = found + 1
        continue
      }
      guard Array(digits) == [0x31] else {
        throw SyncError(
          code: .unsupportedVersion,
          message: "the peer uses version \(String(decoding: digits, as: UTF8.self)) of the "
            + "pipe protocol; this one uses version 1")
      }
      store = Self.store(endingAt: pending[..<found])
      asksForNews = pending[..<found].suffix(Self.newsRequest.count).elementsEqual(Self.newsRequest)
      pending.removeFirst(digits.endIndex + 1)
      return true
    }
    guard hasBegun || pending.count <= Self.maxNoiseBytes || mayBegin else { throw tooMuchNoise }
    return false
  }

  /// Whether the last bytes may be the start of a greeting within the limit.
  private var mayBegin: Bool {
    let starts = (0...Self.maxNoiseBytes).suffix(Self.name.count)
    return starts.contains { Self.name.starts(with: pending[$0...]) }
  }

  private var tooMuchNoise: SyncError { noise("and more than \(Self.maxNoiseBytes) bytes") }

  /// Returns the store named in the last line of the noise.
  private static func store(endingAt noise: ArraySlice<UInt8>) -> StoreID? {
    let line = noise.suffix(storeName.count + 37)
    guard line.starts(with: storeName), line.last == 0x0A else { return nil }
    return StoreID(String(decoding: line.dropFirst(storeName.count).dropLast(), as: UTF8.self))
  }

  private static func firstIndex(of name: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= start + name.count else { return nil }
    return (start...bytes.count - name.count).first { index in
      bytes[index] == name[0] && bytes[index..<index + name.count].elementsEqual(name)
    }
  }

  private func noise(_ end: String) -> SyncError {
    let line = pending.split(separator: 0x0A).first ?? []
    let text = String(decoding: line, as: UTF8.self).prefix(Self.maxShownCharacters)
      .filter { !($0.unicodeScalars.first?.properties.generalCategory == .control) }
    return SyncError(
      code: .malformed,
      message: "the peer does not speak carillon-sync; it printed \"\(text)\" \(end)")
  }
}
