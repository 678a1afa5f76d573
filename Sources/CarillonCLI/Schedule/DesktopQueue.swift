import Carillon
import Foundation

/// The desktop's queue: the file of a store's directory by which `watch` knows what it was given
/// and has shown.
struct DesktopQueue {
  /// Where a store keeps it.
  static func file(of store: URL) -> URL { store.appending(path: "desktop.json") }

  private let system: FileScheduler
  private let now: Instant

  /// Nil where the store has none.
  init?(of store: URL, _ call: Call) {
    let path = Self.file(of: store).path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    system = FileScheduler(path: path, time: call.output.time, now: call.storeOptions.clock)
    now = call.storeOptions.clock()
  }

  /// Forgets what it holds and shows of habits that the store does not hold, and what was shown so
  /// long ago that no answer to it is known.
  ///
  /// What was shown before it was noted of which habit goes where a habit was erased. So does a
  /// digest, which names several; the next plan gives it anew.
  func forgetErased(from store: Store, wasErased: Bool = false) async throws {
    let habits = try await store.habits(includingArchived: true, includingDeleted: true)
    let held = Set(habits.map(\.id.description))
    let oldest = now.milliseconds - Self.keptMilliseconds
    try system.change { document in
      document.pending.removeAll { entry in
        entry.habit.map { !held.contains($0) } ?? false || wasErased && entry.isDigest
      }
      document.delivered.removeAll { shown in
        shown.deliveredAt.milliseconds < oldest
          || shown.habit.map { !held.contains($0) } ?? wasErased
          || wasErased && shown.id.hasPrefix(ScheduleDocument.Entry.digestPrefix)
      }
    }
  }

  /// 8 days, for which a store knows what its requests stand for.
  private static let keptMilliseconds: Int64 = 8 * 86_400_000
}

extension Call {
  /// Takes what was erased out of the desktop's queue.
  ///
  /// What was erased stays so where that fails: then it is warned of.
  func forgetErased(in store: Store) async throws -> [String] {
    do {
      try await DesktopQueue(of: store.directory, self)?.forgetErased(from: store, wasErased: true)
      return []
    } catch let failure as CommandFailure {
      return ["\(failure.message), and may name still what was erased; remove it"]
    }
  }
}

extension ScheduleDocument.Entry {
  static let digestPrefix = "c1d."

  fileprivate var isDigest: Bool { id.hasPrefix(Self.digestPrefix) }

  /// The id of the habit that it reminds of, where it says so.
  var habit: String? {
    guard case .object(let members) = json, case .text(let habit)? = members["habit"] else {
      return nil
    }
    return habit
  }
}

extension FileScheduler {
  /// Refuses what cannot stand for a system: a pipe, say, which can be read only once.
  static func requireFile(_ path: String) throws(CommandFailure) {
    var status = stat()
    // What is not there is made; a directory is refused when it is read.
    guard stat(path, &status) == 0 else { return }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFDIR else {
      throw .badData(
        "\(path) is no regular file, and cannot stand for a system",
        hint: "give the path of a file, or of a new one")
    }
  }
}
