import Carillon
import Foundation

/// A system that is a file: it holds what it is given and shows what is due by the call's clock.
///
/// A file that is not there is a system that holds nothing. Every change replaces the file whole,
/// by renaming a new one into its place, under a lock in its directory against other processes.
struct FileScheduler: NotificationScheduler {
  private let url: URL
  private let time: LocalTime
  private let now: @Sendable () -> Instant

  init(path: String, time: LocalTime, now: @escaping @Sendable () -> Instant) {
    // A link goes on naming the file that is replaced.
    url = URL(filePath: path, directoryHint: .notDirectory).resolvingSymlinksInPath()
    self.time = time
    self.now = now
  }

  // MARK: - The port

  func scheduled() throws -> [ScheduledRequest] {
    try read().pending.map { ScheduledRequest(id: $0.id, fingerprint: $0.fingerprint) }
  }

  func remove(_ ids: [String]) throws {
    let ids = Set(ids)
    try change { $0.pending.removeAll { ids.contains($0.id) } }
  }

  func add(_ request: Request) throws {
    try change { document in
      document.pending.removeAll { $0.id == request.id }
      document.pending.append(ScheduleDocument.Entry(request, time))
    }
  }

  func delivered() throws -> [DeliveredNotification] {
    try read().delivered.map { DeliveredNotification(id: $0.id, deliveredAt: $0.deliveredAt) }
  }

  func removeDelivered(_ ids: [String]) throws {
    let ids = Set(ids)
    try change { $0.delivered.removeAll { ids.contains($0.id) } }
  }

  func setBadge(_ count: Int) throws {
    try change { $0.badge = Int64(count) }
  }

  // MARK: - Time

  /// Lets time pass up to now: what fell due is shown, or only gone where nothing may be shown.
  ///
  /// - Returns: What was shown.
  func passTime(showing isShown: Bool) throws -> [DueEntry] {
    try change { document in
      let due = document.takeDue(now(), time)
      if isShown { document.show(due) }
      return isShown ? due : []
    }
  }

  /// What ``findDue()`` found.
  struct Due {
    var entries: [DueEntry]
    /// When it was called the last time, by a clock that may have been ahead; nil where it never
    /// was.
    let last: Instant?
    /// The ids of all that was held.
    let held: Set<String>
    /// What is held of those that repeat once they were taken, by id.
    let next: [String: ScheduleDocument.Entry]
  }

  /// Finds what is due by now, and notes when that was.
  ///
  /// All of it stays held: who ends before it is shown leaves it to the next run.
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

  /// Takes out one that is due, so that nobody shows it again.
  ///
  /// - Parameter next: What is held in its place.
  /// - Returns: False where another process took it meanwhile.
  func take(_ entry: ScheduleDocument.Entry, leaving next: ScheduleDocument.Entry?) throws -> Bool {
    try change { document in
      let place = document.pending.firstIndex { $0.id == entry.id && $0.fireAt == entry.fireAt }
      guard let place else { return false }
      document.pending.remove(at: place)
      if let next { document.pending.append(next) }
      return true
    }
  }

  /// Holds what is to be shown yet.
  func hold(_ entries: [ScheduleDocument.Entry]) throws {
    let ids = Set(entries.map(\.id))
    try change { document in
      document.pending.removeAll { ids.contains($0.id) }
      document.pending += entries
    }
  }

  /// Notes that something was shown.
  func show(_ entry: ScheduleDocument.Entry, firedAt: Instant) throws {
    try change { document in
      document.show([(entry, firedAt)])
      document.delivered[document.delivered.count - 1].habit = entry.habit
    }
  }

  // MARK: - The file

  /// What the system holds here and now; nothing where there is no file.
  ///
  /// - Throws: `badData` naming the place of what is not of the form; `io`.
  func read() throws -> ScheduleDocument {
    var document = try written()
    document.travel(to: time)
    return document
  }

  /// What the file says.
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
        hint: "the file was left as it is; repair it or remove it")
    }
  }

  /// Changes the document and writes it where it is another one then.
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

  /// More than any system lists.
  private static let maxBytes = 64 << 20
}

/// Keeps other processes, and other tasks of this one, from changing the files of a directory, by a
/// lock on a file of its own there.
///
/// Nobody but the owner can open that file, so nobody else's lock can be in the way.
private struct DirectoryLock {
  private let descriptor: Int32

  /// Waits until nobody else holds it, for so long that another program may write a file.
  init(of file: URL) throws(CommandFailure) {
    let directory = file.deletingLastPathComponent().path
    let path = directory + "/.carillon-lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = errno
      guard reason != ENOENT, reason != ENOTDIR else {
        throw .notFound(
          "there is no directory \(directory)", hint: "give a file in a directory that is there")
      }
      throw .system(
        "\(path) cannot be opened", reason,
        hint: "remove it where it is another user's, or give a file in another directory")
    }
    for _ in 0..<Self.maxLooks {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(20_000)
    }
    close(descriptor)
    throw CommandFailure(
      status: .busy, code: "busy",
      message: "\(path) is locked by another process that writes here",
      hint: "run it again in a moment")
  }

  /// Fifteen seconds, since many programs may wait for one another on a busy machine.
  private static let maxLooks = 750

  func release() {
    close(descriptor)
  }
}
