internal import CarillonModel
internal import Foundation

/// The data file of a log after the machine stopped during a commit.
///
/// Some of the commit's pages are written and others are not; the meta pages, which activate the
/// commit, are not.
struct TornCommit {
  private let before: Data

  /// The number of meta pages at the start of the file, which name the current commit.
  private static let metaPageCount = 2

  /// Reads the file before the commit.
  init(before file: URL) throws {
    before = try Data(contentsOf: file)
  }

  /// Rewrites the file as if the commit had been interrupted.
  func tear(_ file: URL, using random: inout SeededGenerator) throws {
    var torn = try Data(contentsOf: file)
    let pageSize = sysconf(Int32(_SC_PAGESIZE))
    let pageCount = (torn.count + pageSize - 1) / pageSize
    for page in 0..<pageCount where page < Self.metaPageCount || random.oneIn(2) {
      let bytes = page * pageSize..<min(torn.count, (page + 1) * pageSize)
      let held = before.dropFirst(bytes.lowerBound).prefix(bytes.count)
      torn.replaceSubrange(bytes, with: held + Data(count: bytes.count - held.count))
    }
    try torn.write(to: file)
  }
}
