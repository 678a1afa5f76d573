internal import Foundation

/// Finds out which processes hold a lock, for the text of an error.
package enum LockHolder {
  /// Who holds a lock on a file: `process 12 (carillon)`, or less where no more can be known.
  ///
  /// - Complexity: O(descriptors of all processes).
  static func text(of lock: FileLock, on path: String) -> String {
    guard let key = try? FileKey(of: path) else { return text([]) }
    return text(
      processes { fields in
        fields[2] == "OFDLCK" && fields[6].hasSuffix(":\(key.inode)")
          && fields[7] == "\(lock.rawValue)"
      })
  }

  /// Who holds any lock on one of some files.
  package static func text(ofAnyOn paths: [String]) -> String {
    let inodes = paths.compactMap { (try? FileKey(of: $0))?.inode }
    return text(processes { fields in inodes.contains { fields[6].hasSuffix(":\($0)") } })
  }

  private static func text(_ holders: [pid_t]) -> String {
    let others = holders.filter { $0 != getpid() }
    if let first = others.first {
      return "process \(first)\(name(of: first).map { " (\($0))" } ?? "")"
        + (others.count > 1 ? " and \(others.count - 1) more" : "")
    }
    // Processes of other users, and of other containers, do not show.
    return holders.isEmpty ? "another process" : "this process itself, process \(getpid()),"
  }

  /// The processes that hold a lock, as far as the system shows them: Linux does so in `/proc`.
  ///
  /// - Parameter isMeant: Whether it is the lock, by the fields of a line
  ///   `lock: 1: OFDLCK ADVISORY WRITE -1 08:01:INODE START END`.
  private static func processes(_ isMeant: ([Substring]) -> Bool) -> [pid_t] {
    names(in: "/proc").compactMap { pid_t($0) }.sorted().filter { process in
      names(in: "/proc/\(process)/fdinfo").contains { descriptor in
        let info = text(of: "/proc/\(process)/fdinfo/\(descriptor)")
        return info.split(separator: "\n").contains { line in
          let fields = line.split { $0 == " " || $0 == "\t" }
          return fields.count == 9 && fields[0] == "lock:" && isMeant(fields)
        }
      }
    }
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
