internal import CarillonModel
internal import Foundation

/// The files of a log as they are left when the machine stops in the midst of a commit.
///
/// On LMDB some of the commit's pages are there and others not, and those that make it count are
/// not. On SQLite the journal ends within the commit.
struct TornCommit {
  private let file: URL
  private let before: (data: Data, journal: Data)

  /// How many pages at the beginning of LMDB's file say which commit counts.
  private static let metaPageCount = 2

  /// How many bytes at the beginning of SQLite's journal tell it from an older one.
  private static let journalHeaderByteCount = 32

  /// Looks at the files of an open log before the commit.
  init(before directory: URL) throws {
    file = DamagedFile.dataFile(in: directory)
    before = (try Data(contentsOf: file), Self.journal(of: file))
  }

  /// The files as if the commit after it had been cut off, looked at while the log is still open.
  func files(using random: inout SeededGenerator) throws -> [URL: Data] {
    let data = try Data(contentsOf: file)
    guard file.pathExtension == "sqlite" else { return [file: torn(data, using: &random)] }
    let journal = Self.journal(of: file)
    let header = journal.prefix(Self.journalHeaderByteCount)
    // Another header starts the journal again: everything before it is in the file.
    let held = header == before.journal.prefix(header.count) ? before.journal.count : 0
    let length = Int.random(in: held..<max(held + 1, journal.count), using: &random)
    return [file: data, Self.journalFile(of: file): journal.prefix(length)]
  }

  private func torn(_ data: Data, using random: inout SeededGenerator) -> Data {
    var torn = data
    let pageSize = sysconf(Int32(_SC_PAGESIZE))
    let pageCount = (torn.count + pageSize - 1) / pageSize
    for page in 0..<pageCount where page < Self.metaPageCount || random.oneIn(2) {
      let bytes = page * pageSize..<min(torn.count, (page + 1) * pageSize)
      let held = before.data.dropFirst(bytes.lowerBound).prefix(bytes.count)
      torn.replaceSubrange(bytes, with: held + Data(count: bytes.count - held.count))
    }
    return torn
  }

  private static func journalFile(of file: URL) -> URL { URL(filePath: file.path + "-wal") }

  /// Empty where there is none.
  private static func journal(of file: URL) -> Data {
    (try? Data(contentsOf: journalFile(of: file))) ?? Data()
  }
}
