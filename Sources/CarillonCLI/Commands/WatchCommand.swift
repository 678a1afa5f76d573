import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// `carillon watch`: delivers reminders on this desktop when they are due.
struct WatchCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Deliver reminders on this desktop when they are due, until Ctrl-C.",
    discussion: """
      Notifications are sent to the desktop by notify-send, or by the command in CARILLON_NOTIFY, \
      which may have arguments. Without either, they are printed as lines on standard output. The \
      command is called as \
      COMMAND --app-name=Carillon --urgency=low|normal|critical -- TITLE [BODY]. Exit code 0 \
      within \(Notifier.limit) seconds means that the notification was delivered; after that \
      the command is killed. Otherwise watch and status say why, with the first line that the \
      command printed.

      Until Ctrl-C, reminders other than digests offer Done, Snooze (15 minutes) and Skip, if \
      notify-send is of libnotify 0.8 or later and the desktop has actions. The answer counts for \
      the reminder's date. The command in CARILLON_NOTIFY finds the actions in \
      \(NotificationWithActions.variable). It may print "shown", which means that the \
      notification was delivered, and run on until it prints done, snooze or skip. At most \
      \(UnansweredNotifications.limit) wait for an answer, each for a day. A reminder that is \
      answered elsewhere, and all when watch ends, are closed by an interrupt signal.

      Due notifications are recorded in the store's desktop.json before they are delivered, so \
      that none is delivered twice. One that the command refuses is tried again for a day, at \
      first after 15 seconds, later every 15 minutes; a reason is reported once. \
      Reminders that were added or snoozed after the last run and became due since are delivered \
      too, so --once works from cron.

      With --json, each notification is one line. With --json and --once, there is one answer: the \
      notifications that were delivered, those that were refused, why none are allowed, which \
      device reminds, and when the next reminder fires. Without --json, --once says on standard \
      error what it delivered and when the next reminder fires.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Deliver what is due now, and exit.") var once = false

  func run(_ call: Call) async throws {
    let notifier = try Notifier(environment: ProcessInfo.processInfo.environment)
    if notifier == nil {
      call.output.warn(
        "notify-send is not installed; notifications are printed on standard output (on Debian, "
          + "run: apt-get install libnotify-bin)")
    }
    try await call.withStore { store in
      var watch = DesktopWatch(store, call, notifier, isOnce: once)
      guard !once else {
        _ = try await watch.round()
        return try await watch.answerOnce()
      }
      try await tell(store, notifier, call)
      let ticks = Ticks(store, clock: call.storeOptions.clock)
      do {
        let open = UnansweredNotifications(wake: ticks.wake)
        watch.open = open
        do {
          while try await ticks.wait(until: watch.round()) {}
          try Task.checkCancellation()
        } catch {
          await open.closeAll()
          throw error
        }
        await open.closeAll()
      } catch {
        // If the store was removed, report that rather than an error that follows from it.
        try store.checkFiles()
        throw error
      }
      try store.checkFiles()
    }
  }
}

extension WatchCommand {
  /// Says what is watched, and where notifications go.
  private func tell(_ store: Store, _ notifier: Notifier?, _ call: Call) async throws {
    let count = try await store.habits().count
    let name = try await store.status().name
    call.output.note(
      "Watching \(count.counted("habit")) of \(name) in \(store.directory.path); notifications go "
        + "to \(notifier?.name ?? "standard output"). Ctrl-C ends it.")
  }
}

/// Shows what is due on one desktop, and keeps its queue in a file in the store's directory.
private struct DesktopWatch {
  private let store: Store
  private let call: Call
  private let notifier: Notifier?
  private let isOnce: Bool
  private let system: FileScheduler
  /// The notifications that wait for an answer; nil if none is offered actions.
  var open: UnansweredNotifications?
  /// Why nothing may be delivered, as of the last round.
  private var blocked: Blocked?
  /// Which device reminds, as of the last round.
  private var reminders: JSON = .null
  /// The last reported reason why this device does not remind.
  private var reported: String?
  /// The notifications that are due and were not shown in the last round.
  private var refused: [NotificationRequest] = []
  /// When each of these is tried again.
  private var waits = RefusedNotifications()
  /// The reason for the first of these.
  private var refusal: String?
  /// The notifications that were shown, if the watch runs once.
  private var shown: [Notice] = []

  /// - Parameter isOnce: Whether the watch runs once, and fails if a notification is refused,
  ///   instead of printing a warning.
  init(_ store: Store, _ call: Call, _ notifier: Notifier?, isOnce: Bool) {
    self.isOnce = isOnce
    self.store = store
    self.call = call
    self.notifier = notifier
    system = FileScheduler(
      path: DesktopQueue.file(of: store.directory).path, time: call.output.time,
      now: call.storeOptions.clock)
  }

  /// Shows what is due, applies the plan to the desktop's queue, and returns when to look again.
  mutating func round() async throws -> Instant {
    let now = call.storeOptions.clock()
    (refused, refusal) = ([], nil)
    try await recordAnswers()
    try await DesktopQueue(of: store.directory, call)?.forgetErased(from: store)
    var (unrecorded, hasShown): (ShownRequest?, Bool) = (nil, false)
    for (request, notice) in try await takeDue() {
      guard !waits.isWaiting(notice.id, at: now) else {
        refused.append(request)
        continue
      }
      // If the process ends here, at most this notification is lost.
      let isTaken = try system.take(notice.entry, after: unrecorded)
      unrecorded = nil
      guard isTaken else { continue }
      let isShown: Bool
      do {
        isShown = try await show(notice)
      } catch {
        // A notification that could not be printed waits for the next run.
        try system.hold(notice.entry)
        throw error
      }
      if isShown {
        if isOnce { shown.append(notice) }
        waits.accept(notice.id)
        unrecorded = (request, notice.firedAt)
        hasShown = true
      } else {
        refused.append(request)
        try system.hold(notice.entry)
      }
    }
    try system.change { document in
      if let unrecorded { document.deliver(unrecorded) }
      if refusal != nil || hasShown && refused.isEmpty { document.refusal = refusal }
    }
    waits.keep(refused.map { .request($0.id) })
    try await store.recordWaiting(refused)
    let applied = try await store.apply(to: system)
    let nextFire = try system.read().nextFire
    try closeAnswered()
    try await report(applied.blocked)
    try applied.requireComplete()
    return [nextFire, waits.nextTry].compactMap(\.self).reduce(applied.nextWakeHint, min)
  }

  /// Reports why this device does not remind, if the reason is not that of the last round.
  private mutating func report(_ blocked: Blocked?) async throws {
    let status = try await store.status()
    let words = try await DeliveryWords(store, call.output.time, call.output.terms)
    let other = words.replacement(status)
    let reason = (status.isRetired ? other : words.blockedText ?? other) ?? words.pausedAll
    if let reason, reason != reported { call.output.warn(reason) }
    (self.blocked, reported, reminders) = (blocked, reason, words.remindersJSON(status))
  }

  /// Records the answers that came since the last round.
  ///
  /// Ignores the answer to a reminder that was done, skipped or removed meanwhile.
  private func recordAnswers() async throws {
    guard let answers = open?.takeAnswers(), !answers.isEmpty else { return }
    _ = try await store.apply(to: system)
    for answer in answers {
      let (notice, action) = (answer.notice, answer.action)
      guard try displayed().contains(notice.id) else {
        call.output.note("Already answered: \(notice.title.printable).")
        continue
      }
      _ = try await store.respond(
        to: notice.id, action: action, snoozeFor: Store.defaultSnooze)
      call.output.note("Answered: \(action), \(notice.title.printable).")
      // As a system does when a notification is answered.
      try system.removeDelivered([notice.id.request].compactMap(\.self))
    }
  }

  /// Closes the notifications that were answered elsewhere or withdrawn.
  private func closeAnswered() throws {
    guard let open else { return }
    let displayed = try displayed()
    open.close { !displayed.contains($0.id) }
  }

  private func displayed() throws -> Set<NotificationID> {
    Set(try system.read().delivered.map(\.id))
  }

  /// Returns what is due by what the store knows now.
  ///
  /// All of it waits in the desktop's queue until it is taken.
  private func takeDue() async throws -> [(NotificationRequest, Notice)] {
    while true {
      let look = try system.look()
      // The first look takes up what became due since alerts are on.
      let alertsSince = try await store.device().alertsSince
      let due = try await store.takeDue(
        since: look.last ?? alertsSince ?? Instant(milliseconds: 0), waiting: look.waiting)
      let notices = due.compactMap { request in
        Notice(request, call.output.time).map { (request, $0) }
      }
      if try system.queue(notices.map(\.1.entry), after: look) { return notices }
    }
  }

  /// Prints one answer with the results of the round.
  ///
  /// - Throws: `unreachable` if the notifier refused a notification.
  func answerOnce() async throws {
    let next = try await store.plan().requests.lazy.compactMap(\.fireAt).min()
    if !call.output.isJSON {
      call.output.note(summary(next: blocked == nil ? next : nil))
    } else {
      let answer: JSON = [
        "shown": .array(shown) { $0.json(call.output.time) },
        "refused": .array(refused) { .text($0.id.description) },
        "blocked": .text(blocked?.rawValue), "reminders": reminders,
        "next": .text(blocked == nil ? next.map(call.output.time.rfc3339) : nil),
      ]
      try call.output.answer(answer, recorded: !shown.isEmpty) { "" }
    }
    try requireShown()
  }

  /// Returns what was delivered, and when the next reminder fires.
  private func summary(next: Instant?) -> String {
    let counts = Dictionary(shown.map { ($0.title, 1) }, uniquingKeysWith: +)
    let titles = counts.sorted { $0.key < $1.key }.map { title, count in
      title.printable + (count > 1 ? " (\(count) times)" : "")
    }.joined(separator: ", ")
    let what =
      shown.isEmpty
      ? refused.isEmpty ? "Nothing was due" : "Nothing was delivered" : "Delivered: \(titles)"
    let time = next.map { "the next reminder fires on \(call.output.time.text($0))" }
    return "\(what); \(time ?? "no reminder is planned")."
  }

  private func requireShown() throws(CommandFailure) {
    guard let refusal else { return }
    throw CommandFailure(
      status: .unreachable, code: "unreachable",
      message: refusal + (refused.count > 1 ? " (and \(refused.count - 1) more)" : ""),
      hint: "repair the notification service and run the command again within a day")
  }

  /// Shows a notification.
  ///
  /// - Returns: Whether it was shown.
  private mutating func show(_ notice: Notice) async throws -> Bool {
    if let notifier {
      if let reason = await pass(notice, to: notifier) {
        let text = "\(notifier.name) did not show \"\(notice.title)\": it \(reason)"
        let isNew = waits.refuse(notice.id, for: reason, at: call.storeOptions.clock())
        if isNew, !isOnce { call.output.warn(text) }
        refusal = refusal ?? text
        return false
      }
      guard call.output.isJSON else { return true }
    }
    guard !(isOnce && call.output.isJSON) else { return true }
    try call.output.answer(notice.json(call.output.time)) {
      let text = [notice.title, notice.body].compactMap(\.self).joined(separator: ": ")
      return "\(call.output.time.text(notice.firedAt))  \(text.printable)\n"
    }
    return true
  }

  private func pass(_ notice: Notice, to notifier: Notifier) async -> String? {
    guard let open, notice.isReminder else { return await notifier.show(notice) }
    return await open.show(notice, by: notifier)
  }
}

/// One notification that is due.
struct Notice: Sendable {
  /// The request as the desktop's queue keeps it.
  let entry: ScheduleDocument.Entry
  let title: String
  let body: String?
  /// The schedule's interruption level; nil for the system's default.
  let level: String?
  let firedAt: Instant

  var id: NotificationID { entry.id }

  /// Creates the notification of a request; nil if the request has no time.
  fileprivate init?(_ request: NotificationRequest, _ time: LocalTime) {
    guard let fireAt = request.fireAt else { return nil }
    entry = ScheduleDocument.Entry(request, time)
    title = request.content.title
    body = request.content.body
    level = request.content.level?.rawValue
    firedAt = fireAt
  }

  /// Whether it is the reminder of one habit, which can be done, snoozed and skipped.
  fileprivate var isReminder: Bool { id.request?.kind == .occurrence }

  fileprivate func json(_ time: LocalTime) -> JSON {
    [
      "id": .text(id.description), "title": .text(title), "body": .text(body),
      "firedAt": .text(time.rfc3339(firedAt)),
    ]
  }
}

/// Wakes when the plan changes, or at a given time.
private final class Ticks: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let clock: @Sendable () -> Instant
  private let changes: Task<Void, Never>

  init(_ store: Store, clock: @escaping @Sendable () -> Instant) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.stream = stream
    self.continuation = continuation
    self.clock = clock
    changes = Task {
      for await _ in store.changes() { continuation.yield() }
      continuation.finish()
    }
  }

  deinit {
    changes.cancel()
  }

  /// Ends the present or the next wait.
  func wake() {
    continuation.yield()
  }

  /// Waits for a change or a time, and returns false if the store was closed or the task cancelled.
  func wait(until moment: Instant) async throws -> Bool {
    let timer = Task { [clock, continuation] in
      // Waits in short steps, since the clock may be set and the computer may sleep.
      while clock() < moment {
        let left = moment.milliseconds - clock().milliseconds
        try await Task.sleep(for: .milliseconds(min(max(left, 10), 15_000)))
      }
      continuation.yield()
    }
    defer { timer.cancel() }
    for await _ in stream { return !Task.isCancelled }
    return false
  }
}
