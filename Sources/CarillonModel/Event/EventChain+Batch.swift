internal import CHash

extension EventChain {
  /// Returns the IDs of new events that follow one another.
  ///
  /// An ID waits for the one before, which leaves the processor time for something else: it digests
  /// the payloads of two events at the same time as it computes the IDs of the two before them.
  ///
  /// - Parameters:
  ///   - timestamps: The timestamps of the events, which determine the forms that are written.
  ///   - sequence: The sequence of the first event.
  ///   - previous: The ID that the first event follows.
  /// - Complexity: O(bytes).
  package static func ids(
    of events: [NewEvent], at timestamps: [Timestamp], wallClock: Instant,
    from sequence: SequenceNumber, after previous: EventID, by method: SHA2.Method = .best
  ) -> [EventID] {
    var ids: [EventID] = []
    ids.reserveCapacity(events.count)
    guard method == .instructions, events.count > 1 else {
      for (index, event) in events.enumerated() {
        let payload = event.payload(under: timestamps[index], wallClock: wallClock)
        ids.append(
          id(
            sequence: SequenceNumber(rawValue: sequence.rawValue + UInt64(index)),
            timestamp: timestamps[index], previous: ids.last ?? previous,
            payload: PayloadDigest(payload)))
      }
      return ids
    }
    withUnsafeTemporaryAllocation(byteCount: 2 * messageByteCount, alignment: 8) { messages in
      // A span reads its elements without copying them.
      let events = events.span
      func withPayload<Result>(
        _ index: Int, _ body: (UnsafeRawBufferPointer) -> Result
      ) -> Result {
        index < events.count
          ? events[index].withPayload(under: timestamps[index], wallClock: wallClock, body)
          : body(UnsafeRawBufferPointer(start: nil, count: 0))
      }
      var chain = chash_chain()
      chain.messages = messages.baseAddress
      chain.message_size = messageByteCount
      chain.part_offset = previousDigest.lowerBound
      chain.part_size = previousDigest.count
      var index = 0
      while ids.count < events.count {
        let digests: (payloads: Pair, links: Pair) = withPayload(index) { first in
          withPayload(index + 1) { second in Self.digests(of: first, second, beside: chain) }
        }
        if chain.message_count > 0 { ids.append(id(timestamps[ids.count], digests.links.0)) }
        if chain.message_count > 1 { ids.append(id(timestamps[ids.count], digests.links.1)) }
        chain.message_count = min(2, events.count - index)
        for offset in 0..<chain.message_count {
          // Of the first event's ID, which the second follows, only the timestamp is known yet.
          write(
            SequenceNumber(rawValue: sequence.rawValue + UInt64(index)), timestamps[index],
            (offset == 0 ? ids.last ?? previous : id(timestamps[index - 1], zeros.0)),
            offset == 0 ? digests.payloads.0 : digests.payloads.1,
            to: UnsafeMutableRawBufferPointer(rebasing: messages[(offset * messageByteCount)...]))
          index += 1
        }
      }
    }
    return ids
  }

  private typealias Pair = (SHA2.Digest, SHA2.Digest)

  private static let zeros: Pair = ((0, 0, 0, 0), (0, 0, 0, 0))

  /// Returns the digests of two payloads, and those of a chain of at most two messages.
  private static func digests(
    of first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, beside chain: chash_chain
  ) -> (payloads: Pair, links: Pair) {
    var (chain, payloads, links) = (chain, zeros, zeros)
    withUnsafeMutableBytes(of: &links) { links in
      chain.digests = links.baseAddress
      chash_sha256_beside(
        chash_message(bytes: first.baseAddress, count: first.count),
        chash_message(bytes: second.baseAddress, count: second.count), &payloads, chain)
    }
    return (payloads, links)
  }
}
