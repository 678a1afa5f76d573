import Carillon
import CarillonDocuments
import CarillonLog
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
  /// The file as it was read or written last.
  ///
  /// Most changes find it so, and need not parse it.
  private let known = Locked<(bytes: Data, document: ScheduleDocument)?>(nil)

  init(path: String, time: LocalTime, now: @escaping @Sendable () -> Instant) {
    url = Self.target(of: URL(filePath: path, directoryHint: .notDirectory))
    self.time = time
    self.now = now
  }

  /// Returns the file that a symbolic link leads to, which need not exist, so that the link itself
  /// is never replaced; the file itself if it is no link.
  private static func target(of file: URL) -> URL {
    var (target, count) = (file, 0)
    while count < maxLinks,
      let next = try? FileManager.default.destinationOfSymbolicLink(atPath: target.path)
    {
      target = URL(filePath: next, relativeTo: target.deletingLastPathComponent())
      count += 1
    }
    return target.resolvingSymlinksInPath()
  }

  /// More links than the system follows.
  private static let maxLinks = 64

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

  /// What the file says about time.
  struct Look {
    /// When the previous look was, by a clock that may have been ahead; nil if there was none.
    let last: Instant?
    /// The requests that were due by then and still wait, with their times.
    let waiting: [NotificationID: Instant]
    /// The time of the previous look, and what waits, as the file has them.
    fileprivate let asOf: Instant?
    fileprivate let entries: [ScheduleDocument.Entry]
  }

  /// Looks at the time; ``queue(_:after:)`` records it.
  func look() throws -> Look {
    let document = try read()
    var advanced = document
    let fired = advanced.advance(to: now(), time)
    let last = document.lastLook(by: now()) ?? document.asOf
    let waiting = document.waiting.compactMap { entry in entry.fireAt.map { (entry.id, $0) } }
    return Look(
      last: last.map { max($0, fired ?? $0) },
      waiting: Dictionary(waiting) { one, _ in one }, asOf: document.asOf,
      entries: document.waiting)
  }

  /// Replaces what is due by what is to be delivered now, and records the time of the look.
  ///
  /// All of it waits until it is taken, so that the next run delivers it if this one ends before.
  ///
  /// - Returns: False if another process looked, or took or held something, meanwhile; nothing is
  ///   changed then.
  func queue(_ due: [ScheduleDocument.Entry], after look: Look) throws -> Bool {
    try change { document in
      guard document.asOf == look.asOf, document.waiting == look.entries else { return false }
      let now = now()
      _ = document.advance(to: now, time)
      document.pending.removeAll { $0.fireAt.map { $0 <= now } ?? false }
      document.waiting = due
      return true
    }
  }

  /// Removes a waiting entry, so that no other process shows it again.
  ///
  /// - Parameter shown: The notification that was shown before, if it is not recorded yet.
  /// - Returns: False if another process has taken it meanwhile.
  func take(_ entry: ScheduleDocument.Entry, after shown: ShownRequest?) throws -> Bool {
    try change { document in
      if let shown { document.deliver(shown) }
      let place = document.waiting.firstIndex { $0.id == entry.id && $0.fireAt == entry.fireAt }
      guard let place else { return false }
      document.waiting.remove(at: place)
      return true
    }
  }

  /// Lets an entry wait again that was taken and could not be delivered.
  func hold(_ entry: ScheduleDocument.Entry) throws {
    try change { $0.waiting.append(entry) }
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
    try Self.requireFile(url.path)
    guard FileManager.default.fileExists(atPath: url.path) else { return ScheduleDocument() }
    let file = try InputFile(url.path)
    let bytes = try file.wholeContents(maxBytes: Self.maxBytes)
    if let known = known.value, known.bytes == bytes { return known.document }
    do throws(ModelError) {
      let document = try ScheduleDocument(JSONValue(parsing: bytes))
      known.set((bytes, document))
      return document
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
    if document != before {
      document.zone = time.zone
      let text = document.json(time).description + "\n"
      try file.write(text)
      known.set((Data(text.utf8), document))
    }
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

  /// Acquires the lock, and waits up to 10 seconds for another process to release it.
  ///
  /// - Throws: `busy` after that time; `notFound`, `io`.
  init(of file: URL) throws(CommandFailure) {
    let directory = file.deletingLastPathComponent().path
    let path = directory + "/.carillon-lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = errno
      guard reason != ENOENT, reason != ENOTDIR else { throw .noDirectory(directory) }
      guard let owner = Self.otherOwner(of: path) else {
        throw .system(
          "\(path) cannot be opened", reason,
          hint: "check its permissions, or give a file in another directory")
      }
      throw CommandFailure(
        status: .denied, code: StoreError.Code.readOnly.rawValue,
        message: "\(path), which belongs to \(owner), cannot be opened",
        hint: "give a file in a directory that no other user writes to, or ask \(owner) to remove "
          + "the lock and to use another directory")
    }
    for _ in 0..<Self.maxLooks {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(20_000)
    }
    close(descriptor)
    throw CommandFailure(
      status: .busy, code: "busy",
      message: "\(LockHolder.text(ofAnyOn: [path])) holds the lock \(path)",
      hint: "run the command again in a moment")
  }

  /// Returns the name of the user whom a file belongs to, or the user's number if there is no name;
  /// nil if that is this process's user.
  private static func otherOwner(of path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_uid != geteuid() else { return nil }
    let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
    return name ?? "user \(status.st_uid)"
  }

  /// 10 seconds in steps of 20 ms.
  private static let maxLooks = 500

  func release() {
    close(descriptor)
  }
}
