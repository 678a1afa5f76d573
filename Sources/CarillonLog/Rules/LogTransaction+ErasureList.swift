internal import CarillonModel

/// Erasure lists, in a log that nobody here can read.
///
/// A list may arrive before the events that it names. So it is noted in the transaction that writes
/// it, and the next transaction applies those whose events the log holds.
extension LogTransaction {
  /// Notes the lists among events that were just written.
  ///
  /// - Parameter position: The position of the first of the events.
  func noteErasureLists(in items: ArraySlice<EventRun.Item>, at position: UInt64) throws {
    let lists = items.enumerated().compactMap { offset, item in
      item.payload.withUnsafeBytes { ErasureList(written: $0) }
        .map { NotedErasureList(position: position + UInt64(offset), last: $0.last) }
    }
    if !lists.isEmpty { try note(state.erasureLists + lists) }
  }

  /// Erases the payloads that noted lists name, and returns the number of erased payloads.
  ///
  /// Lists whose events the log does not hold stay noted, of many only the newest.
  func eraseListed() throws -> Int {
    var (count, waiting): (Int, [NotedErasureList]) = (0, [])
    for noted in state.erasureLists {
      // Another call of this group may have written the events.
      guard let place = try place(of: noted.last),
        base.has(place.branch.rawValue, noted.last.sequence.rawValue),
        noted.position <= base.lastPosition
      else {
        waiting.append(noted)
        continue
      }
      count += try erase(listedAt: noted.position, on: place.branch)
    }
    waiting = waiting.suffix(NotedErasureList.maxWaiting)
    if waiting.count < state.erasureLists.count { try note(waiting) }
    return count
  }

  /// Erases the payloads that the list at a position names, whose last event is on a branch.
  private func erase(listedAt position: UInt64, on branch: BranchIndex) throws -> Int {
    guard case .payload(let payload) = try event(at: position).content,
      let list = payload.withUnsafeBytes({ ErasureList(written: $0) })
    else { return 0 }
    return try erase(
      try list.sequences.compactMap { sequence in
        let sequence = sequence.rawValue
        guard let owner = state.owner(of: sequence, on: Int(branch.rawValue)) else { return nil }
        let position = try self.position(of: owner, at: sequence)
        guard case .payload(let payload) = try event(at: position).content,
          ErasureList.mayName(payload)
        else { return nil }
        return ErasedPayload(
          position: LogPosition(rawValue: position), erasure: list.erasure)
      })
  }

  private func note(_ lists: [NotedErasureList]) throws {
    state.erasureLists = lists
    try putMeta(.erasures, lists.flatMap(\.bytes))
  }
}

/// An erasure list that was not applied yet: its position, and the last event that it names.
struct NotedErasureList: Hashable, Sendable {
  let position: UInt64
  let last: Head

  /// The most lists that wait for events which the log does not hold.
  static let maxWaiting = 64

  /// Position u64, replica 16 bytes, sequence u64, ID 32 bytes.
  var bytes: [UInt8] {
    position.bigEndianBytes + last.replica.bytes + last.sequence.rawValue.bigEndianBytes
      + last.id.bytes
  }

  private static let byteCount = 8 + 16 + 8 + 32

  /// Reads the lists that a log has noted.
  ///
  /// - Throws: `corrupt`.
  static func all(in meta: MetaTable) throws(LogError) -> [NotedErasureList] {
    let bytes = meta[.erasures] ?? []
    guard bytes.count.isMultiple(of: byteCount) else {
      throw .corrupt("its entry erasures has \(bytes.count) bytes")
    }
    return stride(from: 0, to: bytes.count, by: byteCount).map { start in
      bytes[start..<start + byteCount].withUnsafeBytes { bytes in
        func part(_ offset: Int) -> UnsafeRawBufferPointer {
          UnsafeRawBufferPointer(rebasing: bytes[offset...])
        }
        return NotedErasureList(
          position: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
          last: Head(
            replica: ReplicaID(loading: part(8)),
            sequence: SequenceNumber(
              rawValue: UInt64(
                bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))),
            id: EventID(loading: part(32))))
      }
    }
  }
}
