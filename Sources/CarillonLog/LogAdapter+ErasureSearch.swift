internal import CarillonModel

extension LogAdapter {
  /// Erases the payloads that erasure lists name and that erasures cover.
  ///
  /// In transactions of their own, since they replace events that were just written. What is left
  /// when one fails is done after the next append.
  func eraseDue() async throws {
    if try read({ !$0.state.erasureLists.isEmpty }) { _ = try await handle.write(.eraseListed) }
    guard let read = handle.rules.readPayload else { return }
    while let step = try searchStep(read) { _ = try await handle.write(.search(step)) }
  }

  /// Returns the next step of the search for erased payloads; nil if it is done, or cannot go on
  /// because the log is damaged.
  private func searchStep(_ readPayload: PayloadReader) throws -> ErasureSearchStep? {
    do {
      guard let search = try read({ $0.state.erasureSearch }) else {
        return try firstStep(readPayload)
      }
      return search.isDone ? nil : try step(of: search, readPayload)
    } catch let error as LogError {
      // Damage refuses no events; an audit may repair it.
      guard error.code == .corrupt else { throw error }
      return nil
    }
  }

  /// The maximum number of payloads in one step, and of events that it reads.
  private static var payloadsPerStep: Int { 500 }
  private static var eventsPerStep: Int { 20_000 }

  private func step(
    of search: ErasureSearch, _ readPayload: PayloadReader
  ) throws -> ErasureSearchStep {
    var after = search
    var (erased, count): ([ErasedPayload], Int) = ([], 0)
    after.finish()
    try scanIntact(after: LogPosition(rawValue: search.next - 1)) { event in
      if let payload = readPayload(event.payload),
        let erasure = search.erasure(covering: payload, of: event.id)
      {
        erased.append(ErasedPayload(position: event.position, erasure: erasure))
      }
      count += 1
      let isFull = erased.count == Self.payloadsPerStep || count == Self.eventsPerStep
      if isFull { after.next = event.position.rawValue + 1 }
      return !isFull
    }
    return ErasureSearchStep(before: search, after: after, last: nil, erased: erased)
  }

  /// Collects the erasures of a log that has not read any yet.
  private func firstStep(_ readPayload: PayloadReader) throws -> ErasureSearchStep {
    var (search, last) = (ErasureSearch(), LogPosition.start)
    try scanIntact(after: .start) { event in
      last = event.position
      if let erasure = Erasure(event.payload, of: event.id, readPayload) {
        search.add(erasure, from: event.id)
      }
      return true
    }
    return ErasureSearchStep(before: nil, after: search, last: last.rawValue, erased: [])
  }
}
