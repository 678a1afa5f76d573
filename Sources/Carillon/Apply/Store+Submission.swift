import CarillonModel
import CarillonSQLite
import Foundation

/// The facts that applying a plan records.
///
/// Facts that are already known are not recorded again.
extension Store {
  /// - Returns: What to record, and whether a repeating request fired on another device for an
  ///   occurrence for which it would fire again here. The plan must then be computed again.
  func payloads(
    of submission: Submission, _ context: Context
  ) throws -> (payloads: [Payload], firesAgain: Bool) {
    let known = KnownSubmissions(
      try context.reader.occurrenceReceipts(range: factDates(context)), of: context.replica,
      by: context.now)
    let last = try context.reader.submission(of: context.replica)
    var payloads = submitted(submission, known, context)
    let fired = try fired(submission, known, since: last?.plan.at, context)
    payloads += fired.map {
      SubmittedOccurrence(occurrence: $0.occurrence, fireAt: $0.fireAt).payload
    }
    if let submitted = submission.payload(after: last?.plan) {
      // Another process gave the system the same plan at the same time, and has recorded it.
      let isKnown =
        last?.event != submission.start.submission && last?.plan.idsDigest == submitted.idsDigest
      if !isKnown { payloads.append(.planSubmitted(submitted)) }
    }
    let ahead = Set(
      submission.accepted.lazy.filter(\.repeats).compactMap {
        $0.next(after: context.now, in: context.zone)
      })
    return (payloads, fired.contains { ahead.contains($0.occurrence) })
  }

  /// The dates of facts that may be recorded, including those of repeating requests that fired some
  /// days ago.
  private func factDates(_ context: Context) -> ClosedRange<CivilDate> {
    Planner.range(
      now: context.now,
      including: context.today.adding(days: -OccurrenceSearch.days - 2))
  }

  /// Returns what a system's answer implies: the notifications delivered, and those still pending
  /// although they were due.
  func payloads(of answer: SystemAnswer, _ context: Context) throws -> [Payload] {
    let known = KnownSubmissions(
      try context.reader.occurrenceReceipts(range: factDates(context)), of: context.replica,
      by: context.now)
    return try delivered(answer.delivered, known, context) + stillHeld(answer, known, context)
  }

  /// Returns the requests that the system still holds although they were due.
  ///
  /// The device was moved west, and they fire later, or the system could not show them.
  ///
  /// They are recorded as not submitted. Their new time is recorded when they are planned again.
  private func stillHeld(
    _ answer: SystemAnswer, _ known: KnownSubmissions, _ context: Context
  ) throws -> [Payload] {
    let due = Set(known.due(by: answer.at))
    var late: Set<OccurrenceID> = []
    for request in answer.scheduled {
      guard let id = request.id.request else { continue }
      if id.firesOnce, !due.isEmpty, let planned = try context.reader.plannedRequest(id) {
        let moment = request.overdueSince ?? answer.at
        let all = [planned.occurrence] + planned.alsoRepresents
        late.formUnion(all.map { known.lastDue(of: $0, by: moment) ?? $0 }.filter(due.contains))
      } else if id.kind == .repeating, let since = request.overdueSince, since <= context.now {
        let subjects = try knownSubjects(of: request.id, context.at(since))
        for case .occurrence(let occurrence) in subjects
        where !known.wasWithheld(occurrence, at: since) {
          late.insert(occurrence)
        }
      }
    }
    return late.filter { !known.wasDelivered($0) }
      .map { SubmittedOccurrence(occurrence: $0, fireAt: nil) }.inWritingOrder
  }

  /// Returns receipts for the notifications that the system has delivered.
  private func delivered(
    _ delivered: [DeliveredNotification], _ known: KnownSubmissions, _ context: Context
  ) throws -> [Payload] {
    var reported: Set<ReceiptSubject> = []
    // One search for all recent ones, since a search steps through every occurrence of many days.
    let recent = Instant(
      milliseconds: context.now.milliseconds - Int64(OccurrenceSearch.days) * 86_400_000)
    let occurrences = try context.occurrences(
      of: Set(delivered.lazy.filter { $0.deliveredAt >= recent }.compactMap(\.id.request)),
      since: recent)
    return try delivered.flatMap { item -> [Payload] in
      // Delivered by a clock that was ahead, so the time is unknown.
      guard item.deliveredAt <= context.now.lastKnown else { return [] }
      let at = min(item.deliveredAt, context.now)
      var zone = context.zone
      if let id = item.id.request, id.kind == .repeating,
        let planned = try context.reader.plannedRequest(id)
      {
        zone = Self.zone(of: planned.occurrence.nominal.time, deliveredAt: at, zone)
      }
      let subjects = try knownSubjects(
        of: item.id, context.at(at, in: zone), in: at >= recent ? occurrences : nil)
      return try subjects.compactMap { found in
        var subject = found
        // The latest plan may contain a snooze of the delivered occurrence. The delivered one is
        // then the revision that was due last.
        if case .occurrence(let occurrence) = found {
          subject = .occurrence(known.lastDue(of: occurrence, by: at) ?? occurrence)
        }
        let receipt = ReceiptAdvanced(subject: subject, state: .delivered, fireAt: at)
        guard reported.insert(subject).inserted,
          try !context.reader.hasReceipt(receipt, of: context.replica, by: context.now)
        else { return nil }
        return .receiptAdvanced(receipt)
      }
    }
  }

  /// Returns a zone whose clocks showed a repeating request's time when it was delivered: the
  /// device's zone, or one that it has left since.
  private static func zone(
    of time: TimeOfDay, deliveredAt moment: Instant, _ device: TimeZone
  ) -> TimeZone {
    let minute = moment.milliseconds.flooredDivision(by: 60_000).quotient
    let here = CivilCalendar(zone: device).offsetSeconds(at: moment)
    // Offsets range from -12 to 14 hours. If two fit, the nearer one is chosen.
    let offset = (Int64(time.minute) - minute).flooredDivision(by: 1_440).remainder * 60
    let candidates = [Int(offset), Int(offset) - 86_400].filter { (-43_200...50_400).contains($0) }
    let nearest = candidates.min { abs($0 - here) < abs($1 - here) }
    guard let nearest, nearest != here else { return device }
    return TimeZone(secondsFromGMT: nearest) ?? device
  }

  /// Returns the notifications that an ID represents; none if the ID is of other origin.
  private func knownSubjects(
    of id: NotificationID, _ context: Context, in found: [RequestID: OccurrenceID]? = nil
  ) throws -> [ReceiptSubject] {
    do {
      return try subjects(of: id, context, in: found)
    } catch let error as StoreError where error.code == .notFound {
      return []
    }
  }

  /// Returns what the system will deliver and when, and what it will no longer deliver.
  private func submitted(
    _ submission: Submission, _ known: KnownSubmissions, _ context: Context
  ) -> [Payload] {
    var wanted: [OccurrenceID: Instant] = [:]
    for request in submission.accepted where !request.repeats {
      guard let fireAt = request.fireAt else { continue }
      for occurrence in request.occurrences { wanted[occurrence] = fireAt }
    }
    let given = wanted.filter { known.fireAt(of: $0.key) != $0.value }
    let held = submission.held.subtracting(submission.accepted.lazy.map(\.id))
    let withdrawn = known.due(after: context.now).filter {
      wanted[$0] == nil && !held.contains($0.requestID)
    }
    let facts =
      given.map { SubmittedOccurrence(occurrence: $0.key, fireAt: $0.value) }
      + withdrawn.map { SubmittedOccurrence(occurrence: $0, fireAt: nil) }
    return facts.inWritingOrder
  }

  /// Returns the occurrences for which repeating requests fired since the submission before, each
  /// once.
  private func fired(
    _ submission: Submission, _ known: KnownSubmissions, since last: Instant?, _ context: Context
  ) throws -> [(occurrence: OccurrenceID, fireAt: Instant)] {
    guard let last, submission.plan.blocked == nil else { return [] }
    let day = Instant(
      milliseconds: context.now.milliseconds - Int64(OccurrenceSearch.days) * 86_400_000)
    // Requests held while permission was revoked did not fire. If a clock that was ahead made the
    // last submission, its plan is not known.
    let earliest = max(
      last <= context.now ? last : day, day,
      try context.ownDevice().grantedSince(by: context.now) ?? day)
    let zoneHistory = ZoneHistory(
      try context.reader.zoneStays(of: context.replica), after: earliest, through: context.now,
      now: context.zone)
    let added = Set(submission.applied.insertions.lazy.map(\.id))
    var facts = submission.accepted.filter { $0.repeats && !added.contains($0.id) }.flatMap {
      $0.occurrences(on: zoneHistory)
    }
    for id in submission.applied.removals {
      // The schedule may have changed since.
      guard id.kind == .repeating, let planned = try context.reader.plannedRequest(id)
      else { continue }
      facts += planned.firings(
        after: earliest, by: context.now, CivilCalendar(zone: context.zone))
    }
    var reported: Set<OccurrenceID> = []
    return facts.filter {
      !known.isKnown($0.occurrence) && !known.wasWithheld($0.occurrence, at: $0.fireAt)
        && reported.insert($0.occurrence).inserted
    }
  }
}

extension RequestID {
  /// Whether the system delivers a request of this kind once, for one or several occurrences.
  fileprivate var firesOnce: Bool { kind == .occurrence || kind == .digest }
}
