import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// The desktop's queue: a file in the store's directory in which `watch` keeps what is pending and
/// what it has delivered.
struct DesktopQueue {
  /// The file in a store's directory.
  static func file(of store: URL) -> URL { store.appending(path: "desktop.json") }

  private let system: FileScheduler
  private let now: Instant

  /// Opens the queue of a store; nil if it has none.
  init?(of store: URL, _ call: Call) {
    let path = Self.file(of: store).filePath
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    system = FileScheduler(path: path, time: call.output.time, now: call.storeOptions.clock)
    now = call.storeOptions.clock()
  }

  /// Removes notifications of habits that the store no longer has, and those that were delivered
  /// more than 8 days ago, which can no longer be answered.
  ///
  /// After an erasure, digests and notifications without a recorded habit are removed too, since
  /// they may name the erased habit. The next plan adds the digests again.
  func forgetErased(from store: Store, wasErased: Bool = false) async throws {
    let habits = try await store.habits(includingArchived: true, includingDeleted: true)
    let held = Set(habits.map(\.id.description))
    let oldest = now.milliseconds - Self.keptMilliseconds
    try system.change { document in
      func isForgotten(_ entry: ScheduleDocument.Entry) -> Bool {
        entry.habit.map { !held.contains($0) } ?? false || wasErased && entry.isDigest
      }
      document.pending.removeAll(where: isForgotten)
      document.waiting.removeAll(where: isForgotten)
      document.delivered.removeAll { notification in
        notification.deliveredAt.milliseconds < oldest
          || notification.habit.map { !held.contains($0) } ?? wasErased
      }
    }
  }

  /// The sentence about the last notification if it was not shown, else nil.
  func refusal() throws -> String? {
    try system.read().refusal
  }

  /// Returns the sentence about the last notification that was not shown, if it is of an explained
  /// occurrence that is still to be shown; else nil, also if the queue cannot be read.
  ///
  /// The queue keeps the reason of one notification, which may be another habit's.
  func refusal(of explanation: Explanation, habit: Habit) -> String? {
    guard let document = try? system.read(),
      document.waiting.contains(where: { $0.id == .request(explanation.id) })
    else { return nil }
    let refusal = document.refusal?.printable
    return refusal.flatMap { $0.contains("\"\(habit.title.printable)\"") ? $0 : nil }
  }

  /// 8 days, for which a store knows the occurrences of its requests.
  private static let keptMilliseconds: Int64 = 8 * 86_400_000
}

extension Call {
  /// Removes erased habits from the desktop's queue.
  ///
  /// - Returns: A warning if that fails. The erasure itself remains in effect.
  func forgetErased(in store: Store) async throws -> [String] {
    do {
      try await DesktopQueue(of: store.directory, self)?.forgetErased(from: store, wasErased: true)
      return []
    } catch let failure as CommandFailure {
      return ["\(failure.message); the file may still name what was erased, so remove it"]
    }
  }
}

extension ScheduleDocument.Entry {
  fileprivate var isDigest: Bool { id.request?.kind == .digest }

  /// The ID of the entry's habit, or nil if it names none.
  var habit: String? { text("habit") }

  private func text(_ member: String) -> String? {
    guard case .object(let members) = json, case .text(let text)? = members[member] else {
      return nil
    }
    return text
  }
}

extension FileScheduler {
  /// Throws if a path is not a regular file, but for example a pipe, which can be read only once.
  static func requireFile(_ path: String) throws(CommandFailure) {
    let hint = "give the path of a file, or of a new file"
    var status = stat()
    // A missing file is created; a directory is refused when it is read.
    guard stat(path, &status) == 0 else {
      guard errno != ELOOP else {
        throw .badData("\(path) is a symbolic link that leads to no file", hint: hint)
      }
      return
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFDIR else {
      throw .badData("\(path) is not a regular file", hint: hint)
    }
  }
}
