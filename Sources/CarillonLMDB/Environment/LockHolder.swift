internal import Foundation

/// Finds out which processes hold a lock, for the text of an error.
enum LockHolder {
  /// Who holds a lock on a file: `process 12 (carillon)`, or less where no more can be known.
  ///
  /// - Complexity: O(descriptors of all processes).
  static func text(of lock: FileLock, on path: String) -> String {
    let holders = processes(holding: lock, on: path)
    let others = holders.filter { $0 != getpid() }
    if let first = others.first {
      return "process \(first)\(name(of: first).map { " (\($0))" } ?? "")"
        + (others.count > 1 ? " and \(others.count - 1) more" : "")
    }
    // Processes of other users, and of other containers, do not show.
    return holders.isEmpty ? "another process" : "this process itself, process \(getpid()),"
  }

  /// The processes that hold a lock, as far as the system shows them: Linux does so in `/proc`.
  private static func processes(holding lock: FileLock, on path: String) -> [pid_t] {
    guard let key = try? FileKey(of: path) else { return [] }
    return names(in: "/proc").compactMap { pid_t($0) }.sorted().filter { process in
      names(in: "/proc/\(process)/fdinfo").contains { descriptor in
        let info = text(of: "/proc/\(process)/fdinfo/\(descriptor)")
        return info.split(separator: "\n").contains { holds($0, lock, inode: key.inode) }
      }
    }
  }

  /// Whether a line is `lock: 1: OFDLCK ADVISORY WRITE -1 08:01:INODE START END` of the lock.
  private static func holds(_ line: Substring, _ lock: FileLock, inode: UInt64) -> Bool {
    let fields = line.split { $0 == " " || $0 == "\t" }
    return fields.count == 9 && fields[0] == "lock:" && fields[2] == "OFDLCK"
      && fields[6].hasSuffix(":\(inode)") && fields[7] == "\(lock.rawValue)"
  }

  private static func name(of process: pid_t) -> String? {
    let name = text(of: "/proc/\(process)/comm").trimmingCharacters(in: .whitespacesAndNewlines)
    return name.isEmpty ? nil : name
  }

  /// Nothing where it cannot be read: the process has ended, or is another user's.
  private static func text(of path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  private static func names(in directory: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
  }
}
