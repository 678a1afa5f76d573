internal import CarillonModel
internal import Foundation

/// The data file of a log as it is left when the machine stops in the midst of a commit: some of
/// the commit's pages are there and others not, and those that make it count are not.
struct TornCommit {
  private let before: Data

  /// How many pages at the file's beginning say which commit counts.
  private static let metaPageCount = 2

  /// Looks at the file before the commit.
  init(before file: URL) throws {
    before = try Data(contentsOf: file)
  }

  /// Leaves the file as if the commit after it had been cut off.
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
