internal import CarillonModel
internal import Foundation

/// The files of a log after the machine stopped during a commit.
///
/// On LMDB, some of the commit's pages are written and others are not; the meta pages, which
/// activate the commit, are not. On SQLite, the journal ends within the commit.
struct TornCommit {
  private let file: URL
  private let before: (data: Data, journal: Data)

  /// The number of meta pages at the start of LMDB's file, which name the current commit.
  private static let metaPageCount = 2

  /// The number of header bytes at the start of SQLite's journal, which distinguish it from an
  /// older one.
  private static let journalHeaderByteCount = 32

  /// Reads the files of an open log before the commit.
  init(before directory: URL) throws {
    file = DamagedFile.dataFile(in: directory)
    before = (try Data(contentsOf: file), Self.journal(of: file))
  }

  /// Returns the files as if the next commit had been interrupted; the log must still be open.
  func files(using random: inout SeededGenerator) throws -> [URL: Data] {
    let data = try Data(contentsOf: file)
    guard file.pathExtension == "sqlite" else { return [file: torn(data, using: &random)] }
    let journal = Self.journal(of: file)
    let header = journal.prefix(Self.journalHeaderByteCount)
    // If the header has changed, SQLite restarted the journal, and the file contains all older
    // commits.
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

  /// Returns the content of the journal; empty if there is none.
  private static func journal(of file: URL) -> Data {
    (try? Data(contentsOf: journalFile(of: file))) ?? Data()
  }
}
