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
    payloads += fired.map { $0.name.submitted(fireAt: $0.fireAt) }
    if let submitted = submission.payload(after: last?.plan) {
      // Another process gave the system the same plan at the same time, and has recorded it.
      let isKnown =
        last?.event != submission.start.submission && last?.plan.idsDigest == submitted.idsDigest
      if !isKnown { payloads.append(.planSubmitted(submitted)) }
    }
    let ahead = Set(
      submission.taken.lazy.filter(\.repeats).compactMap {
        $0.next(after: context.now, in: context.zone)
      })
    return (payloads, fired.contains { ahead.contains($0.name) })
  }

  /// The dates of facts that may be recorded, including those of repeating requests that fired some
  /// days ago.
  private func factDates(_ context: Context) -> ClosedRange<CivilDate> {
    Planner.range(
      now: context.now, settings: planSettings(context),
      including: context.today.adding(days: -OccurrenceSearch.days - 2))
  }

  /// Returns what a system's answer implies: the notifications delivered, and those still pending
  /// although they were due.
  func payloads(of answer: SystemAnswer, _ context: Context) throws -> [Payload] {
    let known = KnownSubmissions(
      try context.reader.occurrenceReceipts(range: factDates(context)), of: context.replica,
      by: context.now)
    return try shown(answer.shown, known, context) + stillHeld(answer, known, context)
  }

  /// Returns the requests that the system still holds although they were due.
  ///
  /// The device was moved west, and they fire later.
  ///
  /// They are recorded as not submitted. Their new time is recorded when they are planned again.
  private func stillHeld(
    _ answer: SystemAnswer, _ known: KnownSubmissions, _ context: Context
  ) throws -> [Payload] {
    let due = known.due(by: answer.at)
    guard !due.isEmpty else { return [] }
    let held = Set(answer.scheduled.lazy.map(\.id))
    var late: Set<Notification> = []
    for id in held where id.hasPrefix("c1.") || id.hasPrefix("c1d.") {
      guard let planned = try context.reader.occurrence(of: id) else { continue }
      late.formUnion(([planned.occurrence] + planned.alsoCovers).map(Notification.init))
    }
    return due.filter(late.contains).sorted { $0.order < $1.order }
      .map { $0.submitted(fireAt: nil) }
  }

  /// Returns receipts for the notifications that the system has delivered.
  private func shown(
    _ shown: [DeliveredNotification], _ known: KnownSubmissions, _ context: Context
  ) throws -> [Payload] {
    var reported: Set<Notification> = []
    return try shown.flatMap { item -> [Payload] in
      // Delivered by a clock that was ahead, so the time is unknown.
      guard item.deliveredAt <= context.now.lastKnown else { return [] }
      let at = min(item.deliveredAt, context.now)
      var zone = context.zone
      if item.id.hasPrefix("c1r."), let planned = try context.reader.occurrence(of: item.id) {
        zone = Self.zone(of: planned.occurrence.nominal.time, shownAt: at, zone)
      }
      return try notifications(item.id, context.at(at, in: zone)).compactMap { found in
        var name = found
        // The latest plan may contain a snooze of the delivered occurrence. The delivered one is
        // then the revision that was due last.
        let isDue = known.fireAt(of: found).map { $0 <= at } ?? false
        if !isDue, let revision = known.revision(of: name.subject, shownAt: at) {
          name.revision = revision
        }
        let receipt = ReceiptAdvanced(
          subject: name.subject, revision: name.revision, state: .delivered, fireAt: at)
        guard reported.insert(name).inserted,
          try !context.reader.hasReceipt(receipt, of: context.replica, by: context.now)
        else { return nil }
        return .receiptAdvanced(receipt)
      }
    }
  }

  /// Returns a zone whose clocks showed a repeating request's time when it was delivered: the
  /// device's zone, or one that it has left since.
  private static func zone(
    of time: TimeOfDay, shownAt moment: Instant, _ device: TimeZone
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

  /// Returns the notifications that an ID covers; none if the ID is of other origin.
  func notifications(_ id: String, _ context: Context) throws -> [Notification] {
    do {
      return try notifications(of: id, context)
    } catch let error as StoreError where error.code == .notFound {
      return []
    }
  }

  /// Returns what the system will deliver and when, and what it will no longer deliver.
  private func submitted(
    _ submission: Submission, _ known: KnownSubmissions, _ context: Context
  ) -> [Payload] {
    var wanted: [Notification: Instant] = [:]
    for request in submission.taken where !request.repeats {
      guard let fireAt = request.fireAt else { continue }
      for name in request.names { wanted[name] = fireAt }
    }
    let given = wanted.filter { known.fireAt(of: $0.key) != $0.value }
    let held = submission.held.subtracting(submission.taken.lazy.map(\.id))
    let withdrawn = known.due(after: context.now).filter {
      wanted[$0] == nil && !held.contains($0.subject.key)
    }
    let facts =
      given.map { (name: $0.key, fireAt: Optional($0.value)) }
      + withdrawn.map { (name: $0, fireAt: nil) }
    return facts.sorted { $0.name.order < $1.name.order }
      .map { $0.name.submitted(fireAt: $0.fireAt) }
  }

  /// Returns the occurrences for which repeating requests fired since the submission before, each
  /// once.
  private func fired(
    _ submission: Submission, _ known: KnownSubmissions, since last: Instant?, _ context: Context
  ) throws -> [(name: Notification, fireAt: Instant)] {
    guard let last, submission.plan.blocked == nil else { return [] }
    let day = Instant(
      milliseconds: context.now.milliseconds - Int64(OccurrenceSearch.days) * 86_400_000)
    // Requests held while permission was revoked did not fire. If a clock that was ahead made the
    // last submission, its plan is not known.
    let earliest = max(
      last <= context.now ? last : day, day, try context.ownDevice().grantedSince ?? day)
    let zoneHistory = ZoneHistory(
      try context.reader.zoneStays(of: context.replica), after: earliest, through: context.now,
      now: context.zone)
    let added = Set(submission.applied.insertions.lazy.map(\.id))
    var facts = submission.taken.filter { $0.repeats && !added.contains($0.id) }.flatMap {
      $0.occurrences(on: zoneHistory)
    }
    for id in submission.applied.removals {
      // The occurrence planned for it last; the schedule may have changed since.
      guard id.hasPrefix("c1r."), let planned = try context.reader.occurrence(of: id),
        let fireAt = planned.fireAt, fireAt > earliest, fireAt <= context.now
      else { continue }
      facts.append((Notification(planned.occurrence), fireAt))
    }
    var reported: Set<Notification> = []
    return facts.filter { !known.isKnown($0.name) && reported.insert($0.name).inserted }
  }
}

/// What this device recorded of its submissions to the system.
private struct KnownSubmissions {
  private var fireAt: [Notification: Instant] = [:]
  private var bySubject: [ReceiptSubject: [(revision: String, fireAt: Instant)]] = [:]
  /// The notifications known to be delivered.
  private var shown: Set<Notification> = []
  /// Submissions recorded by a clock ahead of now; the system may not hold them.
  private var ahead: [Notification: Instant] = [:]

  init(_ receipts: [HabitID: Set<OccurrenceReceipt>], of replica: ReplicaID, by now: Instant) {
    for (habit, receipts) in receipts {
      for receipt in receipts where receipt.replica == replica {
        let subject = ReceiptSubject.occurrence(
          habit: habit, schedule: receipt.schedule, nominal: receipt.nominal)
        let name = Notification(subject: subject, revision: receipt.revision)
        let isKnown = receipt.recordedAt <= now.lastKnown
        guard receipt.state == .submitted else {
          if isKnown { shown.insert(name) }
          continue
        }
        guard let fireAt = receipt.fireAt else { continue }
        guard isKnown else {
          ahead[name] = fireAt
          continue
        }
        self.fireAt[name] = fireAt
        bySubject[subject, default: []].append((receipt.revision, fireAt))
      }
    }
  }

  /// Returns when the system fires a notification; nil if the system does not hold it.
  func fireAt(of name: Notification) -> Instant? { fireAt[name] }

  /// Whether it was recorded that the system fires a notification, or that it was delivered.
  func isKnown(_ name: Notification) -> Bool { fireAt[name] != nil || shown.contains(name) }

  /// Returns every notification ever submitted that is still due after `now`.
  func due(after now: Instant) -> [Notification] {
    fireAt.merging(ahead) { known, _ in known }.filter { $0.value > now }.map(\.key)
  }

  /// Returns the notifications that should have been delivered by a moment.
  func due(by moment: Instant) -> [Notification] {
    fireAt.filter { $0.value <= moment }.map(\.key)
  }

  /// Returns the revision in which a subject was delivered at a moment: the one that was due last.
  func revision(of subject: ReceiptSubject, shownAt moment: Instant) -> String? {
    bySubject[subject]?.filter { $0.fireAt <= moment }.max { $0.fireAt < $1.fireAt }?.revision
  }
}

extension Notification {
  /// Sorts facts so that the same facts are always written in the same order.
  fileprivate var order: String { "\(subject.key) \(revision)" }

  fileprivate func submitted(fireAt: Instant?) -> Payload {
    .receiptAdvanced(
      ReceiptAdvanced(subject: subject, revision: revision, state: .submitted, fireAt: fireAt))
  }
}

extension NotificationRequest {
  /// The occurrences that the request covers, as receipts identify them; none for a request to open
  /// the app.
  fileprivate var names: [Notification] {
    isForOccurrence ? ([occurrence] + alsoCovers).map(Notification.init) : []
  }
}
