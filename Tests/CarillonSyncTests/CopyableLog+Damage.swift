import Carillon
import CarillonModel
import CarillonSync

/// Damage, what is left of erased payloads, and repairing.
extension CopyableLog {
  /// The places of all events, in order of arrival.
  var places: [(branch: Int, index: Int)] { saved.order }

  /// Changes a byte of a payload, as a bad disk does.
  func damagePayload(_ branch: Int, _ index: Int) {
    change(branch, index) { event in
      var payload = event.payload
      payload[payload.count / 2] ^= 0x20
      return Event(
        id: event.id, replica: event.replica, sequence: event.sequence, payload: payload)
    }
  }

  /// Changes a byte of an ID behind its timestamp.
  func damageID(_ branch: Int, _ index: Int, byte: Int) {
    change(branch, index) { event in
      var bytes = event.id.bytes
      bytes[byte] ^= 0x20
      let id = bytes.withUnsafeBytes { EventID(loading: $0) }
      guard let redacted = event.redacted else {
        return Event(
          id: id, replica: event.replica, sequence: event.sequence, payload: event.payload)
      }
      return Event(id: id, replica: event.replica, sequence: event.sequence, redacted: redacted)
    }
  }

  /// Changes the sequence that an event bears.
  func damageSequence(_ branch: Int, _ index: Int, to sequence: UInt64) {
    change(branch, index) {
      Event(
        id: $0.id, replica: $0.replica, sequence: SequenceNumber(rawValue: sequence),
        payload: $0.payload)
    }
  }

  /// Forgets all of an event but its ID.
  func forgetContent(_ branch: Int, _ index: Int) {
    change(branch, index) {
      Event(id: $0.id, replica: $0.replica, sequence: $0.sequence, payload: [])
    }
  }

  /// Says that a payload was taken away, and that it had some digest.
  func lie(_ branch: Int, _ index: Int, digest: PayloadDigest, erasure: EventID) {
    change(branch, index) { event in
      Event(
        id: event.id, replica: event.replica, sequence: event.sequence,
        redacted: RedactedContent(digest: digest, erasure: erasure))
    }
  }

  private func change(_ branch: Int, _ index: Int, _ body: (Event) -> Event) {
    var copy = saved
    copy.events[branch][index] = body(copy.events[branch][index])
    restore(copy)
  }

  /// What is known of it: here an erasure counts where the event that it names is held.
  var contents: SyncContents {
    SyncContents(
      unconfirmed: { self.unconfirmed.map { WantedEvent($0, .incomplete) } }, erasures: nil)
  }

  /// Events without content, and those whose erasing event is not held.
  var unconfirmed: [DamagedEvent] {
    let state = saved
    return state.order.enumerated().compactMap { position, place in
      let event = state.events[place.branch][place.index]
      guard event.redacted.map({ state.find($0.erasure) == nil }) ?? event.isMissing else {
        return nil
      }
      return DamagedEvent(
        position: Position(rawValue: UInt64(position) + 1),
        branch: BranchIndex(rawValue: UInt32(place.branch)), sequence: event.sequence,
        id: event.id)
    }
  }
}

extension EventRun {
  func event(at index: Int, id: EventID) -> Event {
    let sequence = SequenceNumber(rawValue: firstSequence.rawValue + UInt64(index))
    guard let redacted = items[index].redacted else {
      return Event(id: id, replica: replica, sequence: sequence, payload: items[index].payload)
    }
    return Event(id: id, replica: replica, sequence: sequence, redacted: redacted)
  }
}

extension CopyableLog.State {
  mutating func makeRedacted(_ branch: Int, _ index: Int, erasure: EventID) {
    let event = events[branch][index]
    guard event.redacted == nil else { return }
    events[branch][index] = Event(
      id: event.id, replica: event.replica, sequence: event.sequence,
      redacted: RedactedContent(digest: PayloadDigest(event.payload), erasure: erasure))
  }

  /// The ID to which an event comes behind another.
  private func computed(_ event: Event, after previous: EventID) -> EventID {
    EventChain.id(
      sequence: event.sequence, timestamp: event.id.timestamp, previous: previous,
      payload: event.redacted?.digest ?? PayloadDigest(event.payload))
  }

  private func previous(of branch: Int) -> EventID {
    guard let parent = branches[branch].parent else {
      return EventChain.root(of: branches[branch].replica)
    }
    let index = Int(parent.branch.rawValue)
    let first = branches[index].firstSequence.rawValue
    return events[index][Int(parent.sequence.rawValue - first)].id
  }

  /// The ID that what follows an event names as the one before it.
  private func isNamed(_ id: EventID, _ branch: Int, _ index: Int) -> Bool {
    guard index + 1 < events[branch].count else { return branches[branch].headID == id }
    return computed(events[branch][index + 1], after: id) == events[branch][index + 1].id
  }

  func damagedEvents() -> [DamagedEvent] {
    var found: [DamagedEvent] = []
    for (position, place) in order.enumerated() {
      let (branch, index) = place
      let event = events[branch][index]
      let before = index > 0 ? events[branch][index - 1].id : previous(of: branch)
      let id = computed(event, after: before)
      if id == event.id { continue }
      // The one before it may be the damaged one.
      if index > 0, !isNamed(before, branch, index - 1) {
        let earlier = index > 1 ? events[branch][index - 2].id : previous(of: branch)
        let whole = computed(events[branch][index - 1], after: earlier)
        if computed(event, after: whole) == event.id { continue }
      }
      found.append(
        DamagedEvent(
          position: Position(rawValue: UInt64(position) + 1),
          branch: BranchIndex(rawValue: UInt32(branch)), sequence: event.sequence,
          id: isNamed(id, branch, index) ? nil : event.id))
    }
    return found
  }

  /// Puts payloads back where they are damaged, or were taken by an erasure that is not held.
  mutating func repair(_ run: EventRun, ids: [EventID], held: Int) -> Int {
    var count = 0
    for place in 0..<held where run.items[place].missingID == nil {
      guard let (branch, sequence) = find(ids[place]) else { continue }
      let index = Int(sequence - branches[branch].firstSequence.rawValue)
      let event = events[branch][index]
      if let redacted = event.redacted, find(redacted.erasure) != nil { continue }
      if let redacted = run.items[place].redacted {
        // Nothing but what is damaged gives way to what is redacted.
        if event.redacted != nil || PayloadDigest(event.payload) == redacted.digest { continue }
      } else if event.redacted == nil, event.payload == run.items[place].payload {
        continue
      }
      events[branch][index] = run.event(at: place, id: ids[place])
      count += 1
    }
    return count
  }

  /// Puts an ID back where the event before it is the run's and the one behind it follows from it.
  mutating func repairID(_ run: EventRun, ids: [EventID], at place: Int) -> Bool {
    let previous = place > 0 ? ids[place - 1] : run.previous
    let sequence = run.firstSequence.rawValue + UInt64(place)
    for branch in branches.indices where branches[branch].replica == run.replica {
      let first = branches[branch].firstSequence.rawValue
      guard first <= sequence, sequence <= branches[branch].headSequence.rawValue else { continue }
      let index = Int(sequence - first)
      let before = index > 0 ? events[branch][index - 1].id : self.previous(of: branch)
      guard before == previous, isNamed(ids[place], branch, index) else { continue }
      events[branch][index] = run.event(at: place, id: ids[place])
      return true
    }
    return false
  }
}

extension CopyableLog {
  /// Where an event lies, by its branch and sequence.
  func position(own branch: Int, sequence: UInt64) -> Position? {
    let state = saved
    let index = state.order.firstIndex {
      $0.branch == branch && state.events[branch][$0.index].sequence.rawValue == sequence
    }
    return index.map { Position(rawValue: UInt64($0) + 1) }
  }

  /// Drops a branch that has no children, and is the last.
  func forget(branch: Int) {
    var copy = saved
    copy.order.removeAll { $0.branch == branch }
    copy.branches.remove(at: branch)
    copy.events.remove(at: branch)
    restore(copy)
  }
}
