import Carillon
import CarillonModel
import Foundation

/// A notification system in a file: it keeps the requests, and delivers what is due by the call's
/// clock.
///
/// A missing file is a system without requests. Every change atomically replaces the file, under a
/// lock in its directory against other processes.
struct FileScheduler: NotificationScheduler {
  private let url: URL
  private let time: LocalTime
  private let now: @Sendable () -> Instant

  init(path: String, time: LocalTime, now: @escaping @Sendable () -> Instant) {
    // A symbolic link keeps pointing to the file that is replaced.
    url = URL(filePath: path, directoryHint: .notDirectory).resolvingSymlinksInPath()
    self.time = time
    self.now = now
  }

  // MARK: - The port

  func scheduled() throws -> [ScheduledRequest] {
    let now = now()
    return try read().pending.map { entry in
      var request = ScheduledRequest(id: entry.id, fingerprint: entry.fingerprint)
      request.overdueSince = entry.fireAt.flatMap { $0 <= now ? $0 : nil }
      return request
    }
  }

  func remove(_ ids: [RequestID]) throws {
    let ids = Set(ids.lazy.map(NotificationID.request))
    try change { $0.pending.removeAll { ids.contains($0.id) } }
  }

  func add(_ request: NotificationRequest) throws {
    try change { document in
      document.pending.removeAll { $0.id == .request(request.id) }
      document.pending.append(ScheduleDocument.Entry(request, time))
    }
  }

  func delivered() throws -> [DeliveredNotification] {
    try read().delivered.map { DeliveredNotification(id: $0.id, deliveredAt: $0.deliveredAt) }
  }

  func removeDelivered(_ ids: [RequestID]) throws {
    let ids = Set(ids.lazy.map(NotificationID.request))
    try change { $0.delivered.removeAll { ids.contains($0.id) } }
  }

  func setBadge(_ count: Int) throws {
    try change { $0.badge = Int64(count) }
  }

  // MARK: - Time

  /// Advances the system's time to now, which delivers what became due.
  ///
  /// - Parameter isAllowed: Whether notifications may be delivered; if not, due ones are only
  ///   removed.
  /// - Returns: What was delivered.
  func passTime(delivering isAllowed: Bool) throws -> [DueEntry] {
    try change { document in
      let due = document.takeDue(now(), time)
      if isAllowed { document.deliver(due) }
      return isAllowed ? due : []
    }
  }

  /// The result of ``findDue()``.
  struct Due {
    var entries: [DueEntry]
    /// When it was last called, by a clock that may have been ahead; nil if it never was.
    let last: Instant?
    /// The IDs of all pending requests.
    let held: Set<NotificationID>
    /// The next occurrences of due requests that repeat, by ID.
    let next: [NotificationID: ScheduleDocument.Entry]
  }

  /// Finds what is due now, and records the time of this look.
  ///
  /// All of it stays pending, so that the next run shows it if this one ends before.
  func findDue() throws -> Due {
    try change { document in
      let last = document.lastLook(by: now()) ?? document.asOf
      let held = Set(document.pending.map(\.id))
      let entries = document.takeDue(now(), time)
      let due = Dictionary(entries.map { ($0.entry.id, $0.entry) }) { one, _ in one }
      let next = document.pending.filter { due[$0.id] != nil }.map { ($0.id, $0) }
      document.pending.removeAll { due[$0.id] != nil }
      document.pending += due.values.sorted { $0.id < $1.id }
      return Due(
        entries: entries, last: last, held: held, next: Dictionary(next) { one, _ in one })
    }
  }

  /// Removes a due entry, so that no other process shows it again.
  ///
  /// - Parameter next: The entry that replaces it, or nil.
  /// - Returns: False if another process has taken it meanwhile.
  func take(_ entry: ScheduleDocument.Entry, leaving next: ScheduleDocument.Entry?) throws -> Bool {
    try change { document in
      let place = document.pending.firstIndex { $0.id == entry.id && $0.fireAt == entry.fireAt }
      guard let place else { return false }
      document.pending.remove(at: place)
      if let next { document.pending.append(next) }
      return true
    }
  }

  /// Adds entries that are still to be delivered, replacing those of the same ID.
  func hold(_ entries: [ScheduleDocument.Entry]) throws {
    let ids = Set(entries.map(\.id))
    try change { document in
      document.pending.removeAll { ids.contains($0.id) }
      document.pending += entries
    }
  }

  /// Records that a notification was delivered.
  func recordDelivery(of entry: ScheduleDocument.Entry, firedAt: Instant) throws {
    try change { document in
      document.deliver([(entry, firedAt)])
      document.delivered[document.delivered.count - 1].habit = entry.habit
    }
  }

  /// Records why the last notification was not shown; nil if it was.
  func record(refusal: String?) throws {
    try change { $0.refusal = refusal }
  }

  // MARK: - The file

  /// Returns the system's contents in the current time zone; empty if there is no file.
  ///
  /// - Throws: `badData` with the place of a malformed item; `io`.
  func read() throws -> ScheduleDocument {
    var document = try written()
    document.travel(to: time)
    return document
  }

  /// Reads the file.
  private func written() throws -> ScheduleDocument {
    guard FileManager.default.fileExists(atPath: url.path) else { return ScheduleDocument() }
    try Self.requireFile(url.path)
    let file = try InputFile(url.path)
    let bytes = try file.wholeContents(maxBytes: Self.maxBytes)
    do throws(ModelError) {
      return try ScheduleDocument(JSONValue(parsing: bytes))
    } catch {
      throw CommandFailure.badData(
        "\(file.name): \(error.message)",
        hint: "correct or remove the file, which was left unchanged")
    }
  }

  /// Changes the document, and writes the file if the document is different.
  func change<Result>(_ body: (inout ScheduleDocument) throws -> Result) throws -> Result {
    let lock = try DirectoryLock(of: url)
    defer { lock.release() }
    let file = FileReplacement(of: url)
    try file.removeLeftover()
    let before = try written()
    var document = before
    document.travel(to: time)
    let result = try body(&document)
    if document != before { try file.write(document.json(time).description + "\n") }
    return result
  }

  /// 64 MiB, more than any system lists.
  private static let maxBytes = 64 << 20
}

/// A lock against changes of a directory's files by other processes and other tasks of this one.
///
/// It is a lock on a file in that directory which only the owner can open, so that other users
/// cannot block it.
private struct DirectoryLock {
  private let descriptor: Int32

  /// Acquires the lock, and waits up to 15 seconds for another process to release it.
  ///
  /// - Throws: `busy` after that time; `notFound`, `io`.
  init(of file: URL) throws(CommandFailure) {
    let directory = file.deletingLastPathComponent().path
    let path = directory + "/.carillon-lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = errno
      guard reason != ENOENT, reason != ENOTDIR else {
        throw .notFound(
          "directory \(directory) does not exist", hint: "give a file in an existing directory")
      }
      throw .system(
        "\(path) cannot be opened", reason,
        hint: "remove it if it belongs to another user, or give a file in another directory")
    }
    for _ in 0..<Self.maxLooks {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(20_000)
    }
    close(descriptor)
    throw CommandFailure(
      status: .busy, code: "busy",
      message: "\(path) is locked by another process",
      hint: "run the command again in a moment")
  }

  /// 15 seconds in steps of 20 ms, since many processes may wait for each other on a busy machine.
  private static let maxLooks = 750

  func release() {
    close(descriptor)
  }
}
