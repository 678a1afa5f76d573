internal import Foundation

/// Finds the processes that hold a lock, for error messages.
package enum LockHolder {
  /// Describes the holder of a lock on a byte of a file, such as `process 12 (carillon)`, in as
  /// much detail as the system shows.
  ///
  /// - Complexity: O(descriptors of all processes).
  package static func text(ofByte byte: Int64, on path: String) -> String {
    guard let key = try? FileKey(of: path) else { return text([]) }
    return text(
      processes { fields in
        fields[2] == "OFDLCK" && fields[6].hasSuffix(":\(key.inode)")
          && fields[7] == "\(byte)"
      })
  }

  /// Describes the holder of any lock on one of the given files.
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
    // Processes of other users and other containers are not visible.
    return holders.isEmpty ? "another process" : "this process itself, process \(getpid()),"
  }

  /// Returns the processes that hold a matching lock.
  ///
  /// Only Linux lists locks, in `/proc`.
  ///
  /// - Parameter isMeant: Whether a lock matches, given the fields of a line `lock: 1: OFDLCK
  ///   ADVISORY WRITE -1 08:01:INODE START END`.
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

  /// The contents of a file, or an empty text if it cannot be read because the process has ended or
  /// belongs to another user.
  private static func text(of path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  private static func names(in directory: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
  }
}
