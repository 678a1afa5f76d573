import ArgumentParser
import Carillon
import Foundation

/// `carillon watch`: shows reminders on this computer when they are due.
struct WatchCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show reminders on this desktop when they are due, until Ctrl-C.",
    discussion: """
      Notifications go to the desktop's own service by notify-send, or by the command that \
      CARILLON_NOTIFY names; without either they are lines on standard output. The command is \
      called with --app-name=Carillon --urgency=low|normal|critical -- TITLE [BODY]; exit 0 \
      within \(Notifier.limit) seconds means shown, and after that it is ended. What is due is \
      noted in the store's desktop.json before it is shown, so that nothing is shown twice; what \
      the service refuses is tried again for a day. What was added or snoozed after the run before \
      and fell due since is shown too, so that --once suits cron.

      With --json each notification is a line of its own; with --once there is one answer, of what \
      was shown, what the service refused, and why nothing is.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Show what is due now, and end.") var once = false

  func run(_ call: Call) async throws {
    let notifier = try Notifier(environment: ProcessInfo.processInfo.environment)
    if notifier == nil {
      call.output.warn(
        "there is no notify-send; notifications are lines on standard output (on Debian: apt-get "
          + "install libnotify-bin)")
    }
    try await call.withStore { store in
      var watch = DesktopWatch(store, call, notifier, isOnce: once)
      guard !once else {
        _ = try await watch.round()
        return try watch.answerOnce()
      }
      let ticks = Ticks(store, clock: call.storeOptions.clock)
      do {
        while try await ticks.wait(until: watch.round()) {}
        try Task.checkCancellation()
      } catch {
        // Where the store was taken away, all else follows from that.
        try store.checkFiles()
        throw error
      }
      try store.checkFiles()
    }
  }
}

/// Shows what is due on one desktop, and keeps its queue in a file of the store's directory.
private struct DesktopWatch {
  private let store: Store
  private let call: Call
  private let notifier: Notifier?
  private let isOnce: Bool
  private let system: FileScheduler
  private var told: Blocked?
  /// What the notifier refused in the last round.
  private var refused: [ScheduleDocument.Entry] = []
  /// Why, of the first.
  private var refusal: String?
  /// What was shown, where one answer tells of all.
  private var shown: [Notice] = []

  /// - Parameter isOnce: Whether what is refused ends the watch as a failure, and needs no warning.
  init(_ store: Store, _ call: Call, _ notifier: Notifier?, isOnce: Bool) {
    self.isOnce = isOnce
    self.store = store
    self.call = call
    self.notifier = notifier
    system = FileScheduler(
      path: DesktopQueue.file(of: store.directory).path, time: call.output.time,
      now: call.storeOptions.clock)
  }

  /// Shows what is due, gives the plan to the desktop's queue, and says when to look again.
  mutating func round() async throws -> Instant {
    let now = call.storeOptions.clock()
    (refused, refusal) = ([], nil)
    try await DesktopQueue(of: store.directory, call)?.forgetErased(from: store)
    let due = try await findDue(now)
    for (entry, firedAt) in due.entries {
      // Whoever ends here loses no more than this one.
      guard try system.take(entry, leaving: due.next[entry.id]) else { continue }
      let isShown: Bool
      do {
        isShown = try await show(Notice(entry, firedAt: firedAt))
      } catch {
        // What could not even be printed is held again, for the next run.
        try system.hold([entry])
        throw error
      }
      if isShown {
        try system.show(entry, firedAt: firedAt)
      } else {
        // Held though it was due, so that no device presumes it was shown; tried again next time.
        refused.append(entry)
        try system.hold([entry])
      }
    }
    let applied = try await store.apply(to: system)
    try system.hold(refused)
    if let blocked = applied.blocked, blocked != told {
      call.output.warn(NextCommand.naming(call.output.store, in: blocked.text))
    }
    told = applied.blocked
    try applied.requireComplete()
    guard refused.isEmpty else { return Instant(milliseconds: now.milliseconds + Self.retryDelay) }
    return min(try system.read().nextFire ?? applied.nextWakeHint, applied.nextWakeHint)
  }

  /// What is due and may still be shown: what the desktop's queue held, and what was added since it
  /// was looked at the last time.
  ///
  /// All of it is held until it is taken.
  private func findDue(_ now: Instant) async throws -> FileScheduler.Due {
    var found = try system.findDue()
    let earliest = now.milliseconds - Int64(Store.maxDelayHours) * 3_600_000
    var due: [DueEntry] = []
    for (entry, firedAt) in found.entries.latest {
      if firedAt.milliseconds > earliest, try await store.mayShow(entry.id, firedAt: firedAt) {
        due.append((entry, firedAt))
      } else {
        _ = try system.take(entry, leaving: found.next[entry.id])
      }
    }
    if let last = found.last {
      let missed = try await store.takeMissed(since: last, holding: found.held).compactMap {
        request in request.fireAt.map { (ScheduleDocument.Entry(request, call.output.time), $0) }
      }
      try system.hold(missed.map(\.0))
      due += missed
    }
    found.entries = due.sorted { ($0.firedAt, $0.entry.id) < ($1.firedAt, $1.entry.id) }
    return found
  }

  /// Tells in one answer what the round did, and fails where the notifier refused something.
  func answerOnce() throws {
    if call.output.isJSON {
      let answer: JSON = [
        "shown": .array(shown) { $0.json(call.output.time) },
        "refused": .array(refused) { .text($0.id) }, "blocked": .text(told?.rawValue),
      ]
      try call.output.answer(answer, recorded: !shown.isEmpty) { "" }
    }
    try requireShown()
  }

  private func requireShown() throws(CommandFailure) {
    guard let refusal else { return }
    throw CommandFailure(
      status: .unreachable, code: "unreachable",
      message: refusal + (refused.count > 1 ? ", nor \(refused.count - 1) more" : ""),
      hint: "repair the notification service and run it again; what is due is tried for a day")
  }

  /// - Returns: Whether it was shown.
  private mutating func show(_ notice: Notice) async throws -> Bool {
    if let notifier {
      if let reason = await notifier.show(notice) {
        let text = "\(notifier.name) did not show \"\(notice.title)\": it \(reason)"
        if !isOnce { call.output.warn(text) }
        refusal = refusal ?? text
        return false
      }
      guard call.output.isJSON else { return true }
    }
    guard !(isOnce && call.output.isJSON) else {
      shown.append(notice)
      return true
    }
    try call.output.answer(notice.json(call.output.time)) {
      let text = [notice.title, notice.body].compactMap(\.self).joined(separator: ": ")
      return "\(call.output.time.text(notice.firedAt))  \(text.printable)\n"
    }
    return true
  }

  /// How long until what was refused is tried again.
  private static let retryDelay: Int64 = 60_000
}

/// What one notification says.
struct Notice: Sendable {
  let id: String
  let title: String
  let body: String?
  /// As the schedule gives it; nil is the system's default.
  let level: String?
  let firedAt: Instant

  fileprivate init(_ entry: ScheduleDocument.Entry, firedAt: Instant) {
    id = entry.id
    title = entry.title ?? entry.id
    body = entry.content("body")
    level = entry.content("level")
    self.firedAt = firedAt
  }

  fileprivate func json(_ time: LocalTime) -> JSON {
    [
      "id": .text(id), "title": .text(title), "body": .text(body),
      "firedAt": .text(time.rfc3339(firedAt)),
    ]
  }
}

/// Wakes when the plan changed, or at a time.
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
      for await _ in store.pendingUpdates() { continuation.yield() }
      continuation.finish()
    }
  }

  deinit {
    changes.cancel()
  }

  /// Waits for a change or a moment; false when the store was closed or the task cancelled.
  func wait(until moment: Instant) async throws -> Bool {
    let timer = Task { [clock, continuation] in
      // In short steps, since the clock may be set and the computer may sleep.
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
