internal import CarillonModel

/// Erasures in a log that reads payloads for nothing else.
extension LogTransaction {
  /// Returns a run without the payloads that known erasures cover.
  func withoutErased(_ verified: VerifiedRun, _ read: PayloadReader?) -> VerifiedRun {
    guard let read, let search = state.erasureSearch, !search.entries.isEmpty else {
      return verified
    }
    return verified.with(
      zip(verified.run.items, verified.ids).map { item, id in
        guard let payload = item.payload.withUnsafeBytes(read),
          let erasure = search.erasure(covering: payload, of: id)
        else { return item }
        return EventRun.Item(
          timestamp: item.timestamp,
          redacted: RedactedContent(digest: item.digest, erasure: erasure))
      })
  }

  /// Adds the erasures among events that were just written to the known ones.
  ///
  /// A log without a search finds them when it starts one.
  func noteErasures(
    in items: ArraySlice<EventRun.Item>, ids: ArraySlice<EventID>, _ read: PayloadReader?
  ) throws {
    guard let read, var search = state.erasureSearch else { return }
    for (item, id) in zip(items, ids) {
      guard let erasure = item.payload.withUnsafeBytes({ Erasure($0, of: id, read) }) else {
        continue
      }
      search.add(erasure, from: id)
    }
    if search != state.erasureSearch { try note(search) }
  }

  /// Erases what a step of a search found, and returns the number of erased payloads.
  ///
  /// Does nothing if the search, or the log if that matters, has changed since.
  func perform(_ step: ErasureSearchStep) throws -> Int {
    guard state.erasureSearch == step.before, step.last ?? state.lastPosition == state.lastPosition
    else { return 0 }
    let count = try erase(step.erased)
    try note(step.after)
    return count
  }

  private func note(_ search: ErasureSearch) throws {
    state.erasureSearch = search
    try putMeta(.erasureSearch, search.bytes)
  }
}

extension Erasure {
  /// The first byte of the tag of field 27, also in a varint that is longer than necessary.
  private static let tag: UInt8 = 0xDA

  /// Reads the payload of an event; nil if it is no erasure.
  ///
  /// - Complexity: O(bytes). Most other payloads are not decoded.
  init?(_ payload: UnsafeRawBufferPointer, of event: EventID, _ read: PayloadReader) {
    guard payload.contains(Self.tag), !event.timestamp.isBeyondClocks,
      case .dataErased(let erasure)? = read(payload)
    else { return nil }
    self = erasure
  }
}
