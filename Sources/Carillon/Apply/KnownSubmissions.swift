import CarillonModel

/// What this device recorded of its submissions to the system.
struct KnownSubmissions {
  private var fireAt: [OccurrenceID: Instant] = [:]
  /// The submitted and withdrawn revisions of each occurrence, which is in its first revision here.
  private var revisions: [OccurrenceID: [OccurrenceID]] = [:]
  /// When it was recorded last that the system does not deliver an occurrence.
  private var withdrawnAt: [OccurrenceID: Instant] = [:]
  /// The occurrences known to be delivered.
  private var delivered: Set<OccurrenceID> = []
  /// Submissions recorded by a clock ahead of now; the system may not hold them.
  private var ahead: [OccurrenceID: Instant] = [:]

  init(_ receipts: [HabitID: Set<OccurrenceReceipt>], of replica: ReplicaID, by now: Instant) {
    for receipt in receipts.values.joined() where receipt.replica == replica {
      let occurrence = receipt.occurrence
      let isKnown = receipt.recordedAt <= now.lastKnown
      guard receipt.state == .submitted else {
        if isKnown { delivered.insert(occurrence) }
        continue
      }
      guard let fireAt = receipt.fireAt else {
        if isKnown {
          withdrawnAt[occurrence] = receipt.recordedAt
          revisions[occurrence.revised(.first), default: []].append(occurrence)
        }
        continue
      }
      guard isKnown else {
        ahead[occurrence] = fireAt
        continue
      }
      self.fireAt[occurrence] = fireAt
      revisions[occurrence.revised(.first), default: []].append(occurrence)
    }
  }

  /// Returns when the system fires an occurrence; nil if the system does not hold it.
  func fireAt(of occurrence: OccurrenceID) -> Instant? { fireAt[occurrence] }

  /// Whether it was recorded that the system fires an occurrence, or that it was delivered.
  func isKnown(_ occurrence: OccurrenceID) -> Bool {
    fireAt[occurrence] != nil || delivered.contains(occurrence)
  }

  /// Whether it was recorded that an occurrence was delivered.
  func wasDelivered(_ occurrence: OccurrenceID) -> Bool { delivered.contains(occurrence) }

  /// Whether the system still held an occurrence, undelivered, when it was due.
  func wasWithheld(_ occurrence: OccurrenceID, at fireAt: Instant) -> Bool {
    withdrawnAt[occurrence].map { $0 >= fireAt } ?? false
  }

  /// Returns every occurrence ever submitted that is still due after `now`.
  func due(after now: Instant) -> [OccurrenceID] {
    fireAt.merging(ahead) { known, _ in known }.filter { $0.value > now }.map(\.key)
  }

  /// Returns the occurrences that should have been delivered by a moment.
  func due(by moment: Instant) -> [OccurrenceID] {
    fireAt.filter { $0.value <= moment }.map(\.key)
  }

  /// Returns an occurrence in the revision in which it was delivered at a moment: the snoozed one
  /// that was due last, otherwise its own, otherwise the one that was due last; nil if none was.
  func lastDue(of occurrence: OccurrenceID, by moment: Instant) -> OccurrenceID? {
    func due(_ occurrence: OccurrenceID) -> Instant? {
      let fireAt =
        fireAt[occurrence]
        ?? occurrence.snoozedUntil.flatMap { until in
          wasWithheld(occurrence, at: until) ? until : nil
        }
      return fireAt.flatMap { $0 <= moment ? $0 : nil }
    }
    let all = (revisions[occurrence.revised(.first)] ?? [])
      .compactMap { one in due(one).map { (occurrence: one, at: $0) } }.sorted { $0.at < $1.at }
    let own = due(occurrence)
    let snoozed = all.last { $0.occurrence.snoozedUntil != nil }
    if let snoozed, own.map({ $0 < snoozed.at }) ?? true { return snoozed.occurrence }
    return own == nil ? all.last?.occurrence : occurrence
  }
}

extension OccurrenceID {
  /// The end of the snooze that moves the occurrence, or nil if none does.
  fileprivate var snoozedUntil: Instant? {
    if case .snoozed(let until) = revision { until } else { nil }
  }
}

/// The fact that the system delivers an occurrence at a time, or does not deliver it.
struct SubmittedOccurrence: Hashable {
  let occurrence: OccurrenceID
  /// Nil if the system does not deliver it.
  let fireAt: Instant?

  var payload: Payload {
    .receiptAdvanced(
      ReceiptAdvanced(subject: .occurrence(occurrence), state: .submitted, fireAt: fireAt))
  }
}

extension Collection<SubmittedOccurrence> {
  /// The payloads that record the facts, always in the same order.
  var inWritingOrder: [Payload] {
    sorted { left, right in
      let ids = (left.occurrence.requestID, right.occurrence.requestID)
      return ids.0 == ids.1
        ? left.occurrence.revision.text < right.occurrence.revision.text : ids.0 < ids.1
    }.map(\.payload)
  }
}
