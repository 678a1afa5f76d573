internal import CarillonModel

/// The erasures of a log that reads them, such as a hub's, and how far it was searched for the
/// payloads that they cover.
///
/// A covered event that arrives later is written without its payload, so only a new erasure starts
/// a search.
package struct ErasureSearch: Hashable, Sendable {
  /// An erasure with its event.
  struct Entry: Hashable, Sendable {
    let event: EventID
    let erasure: Erasure
  }

  /// The erasures in order of arrival, without those that a wider one includes.
  private(set) var entries: [Entry] = []
  /// The position at which the search continues; the greatest number if it is done.
  var next = end

  /// The most erasures that are kept for events to come; of more, the first ones are forgotten.
  package static let maxCount = 256
  private static let end = UInt64.max
  /// A build that knows more kinds of events searches again.
  private static let kindCount = UInt8(Payload.Kind.allCases.count)

  /// Creates a search without erasures, which is done.
  init() {}

  /// Whether nothing is left to search.
  var isDone: Bool { next == Self.end }

  /// Ends the search.
  mutating func finish() { next = Self.end }

  /// Adds an erasure, and starts the search again if no other one includes it.
  mutating func add(_ erasure: Erasure, from event: EventID) {
    guard !entries.contains(where: { $0.erasure.scope.includes(erasure.scope) }) else { return }
    entries.removeAll { erasure.scope.includes($0.erasure.scope) }
    entries.append(Entry(event: event, erasure: erasure))
    if entries.count > Self.maxCount { entries.removeFirst() }
    next = 1
  }

  /// Returns an erasure that covers an event; nil if there is none.
  ///
  /// - Complexity: O(erasures).
  func erasure(covering payload: Payload, of event: EventID) -> EventID? {
    entries.first { $0.erasure.covers(payload, of: event) }?.event
  }
}

/// A part of a search: what it found, and how it continues.
package struct ErasureSearchStep: Sendable {
  /// The search before; nil if the log had none.
  let before: ErasureSearch?
  let after: ErasureSearch
  /// The last position that must still be the log's; nil if others may have been appended.
  let last: UInt64?
  let erased: [ErasedPayload]
}

extension Erasure.Scope {
  /// Whether this scope covers every event that another one covers.
  fileprivate func includes(_ other: Self) -> Bool {
    switch (self, other) {
    case (.habit(let habit), .habit(let named)), (.habit(let habit), .receipts(let named, _)):
      habit == named
    case (.items(let source, let last), .items(let named, let otherLast)):
      source.utf8.elementsEqual(named.utf8) && Self.reaches(last, otherLast)
    case (.receipts(let habit, let last), .receipts(let named, let otherLast)):
      habit == named && Self.reaches(last, otherLast)
    default: false
    }
  }

  private static func reaches(_ last: EventID?, _ other: EventID?) -> Bool {
    guard let last else { return true }
    return other.map { $0 <= last } ?? false
  }
}

// MARK: - Bytes

extension ErasureSearch {
  /// The number of known kinds u8 and the next position u64, then the erasures.
  ///
  /// An erasure is its event, a byte for its scope, the last event that it covers if there is one,
  /// and its habit, or its source after the count of its bytes u8.
  var bytes: [UInt8] {
    entries.reduce(into: [Self.kindCount] + next.bigEndianBytes) { bytes, entry in
      bytes += entry.event.bytes
      switch entry.erasure.scope {
      case .habit(let habit): bytes += [1] + habit.bytes
      case .items(let source, let last):
        bytes += last.map { [3] + $0.bytes } ?? [2]
        bytes += [UInt8(source.utf8.count)] + Array(source.utf8)
      case .receipts(let habit, let last):
        bytes += (last.map { [5] + $0.bytes } ?? [4]) + habit.bytes
      }
    }
  }

  /// Reads a search; returns nil for one of a build that knew fewer kinds, and for other bytes.
  init?(bytes: [UInt8]) {
    var rest = bytes[...]
    func take(_ count: Int) -> [UInt8]? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func identifier<Subject>() -> Identifier<Subject>? {
      take(Identifier<Subject>.byteCount).flatMap { Identifier(bytes: $0) }
    }
    func event() -> EventID? { take(EventID.byteCount).flatMap { EventID(bytes: $0) } }
    func text() -> String? {
      take(1).flatMap { take(Int($0[0])) }.map { String(decoding: $0, as: UTF8.self) }
    }

    guard let count = take(1), count[0] >= Self.kindCount, let position = take(8) else {
      return nil
    }
    while !rest.isEmpty {
      guard let erasing = event(), let kind = take(1)?[0] else { return nil }
      let hasLast = [3, 5].contains(kind)
      let last = hasLast ? event() : nil
      guard hasLast == (last != nil) else { return nil }
      let scope: Erasure.Scope? =
        switch kind {
        case 1: identifier().map { .habit($0) }
        case 2, 3: text().map { .items(source: $0, upTo: last) }
        case 4, 5: identifier().map { .receipts(of: $0, upTo: last) }
        default: nil
        }
      guard let scope else { return nil }
      entries.append(Entry(event: erasing, erasure: Erasure(scope)))
    }
    next = UInt64(bigEndianBytes: position)
  }
}
