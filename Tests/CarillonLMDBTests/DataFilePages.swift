import CarillonTestSupport
import Foundation
import Testing

/// The pages of LMDB's data file, used to damage selected ones.
struct DataFilePages {
  private(set) var data: Data
  private let newest: Int

  private static let pageSize = 4_096

  init(_ data: Data) {
    self.data = data
    // Of the first two pages, the one with the greater commit number is current.
    let commits = [0, 1].map { Self.integer(data, $0 * Self.pageSize + 144) }
    newest = commits[0] > commits[1] ? 0 : 1
  }

  /// The offset of the number of the last page.
  var lastPageOffset: Int { newest * Self.pageSize + 136 }

  var lastPage: Int { self[lastPageOffset] }

  /// The integer of 8 bytes at an offset.
  subscript(offset: Int) -> Int {
    get { Self.integer(data, offset) }
    set {
      withUnsafeBytes(of: UInt64(newValue).littleEndian) {
        data.replaceSubrange(offset..<offset + 8, with: $0)
      }
    }
  }

  /// The pages of a database: branch pages, with the root before those below it; leaves; and the
  /// first overflow page of each value.
  struct Database {
    var branches: [Int] = []
    var leaves: [Int] = []
    var overflows: [Int] = []
    /// The offsets of the page numbers in `overflows`.
    var overflowOffsets: [Int] = []
  }

  func database(_ name: String) throws -> Database {
    let main = root(newest * Self.pageSize + 128)
    for cell in cells(of: try #require(main)) where data[key(of: cell)] == Data(name.utf8) {
      var database = Database()
      if let root = root(value(of: cell) + 40) { walk(root, &database) }
      return database
    }
    throw UnexpectedOutcome()
  }

  /// The entries of the free list: the offset of the commit's number, and the offsets of the page
  /// numbers.
  var freeRecords: [(commit: Int, pages: [Int])] {
    guard let root = root(newest * Self.pageSize + 80) else { return [] }
    return cells(of: root).compactMap { cell in
      guard flags(of: cell) == 0 else { return nil }
      let start = value(of: cell)
      return (key(of: cell).lowerBound, (0..<self[start]).map { start + 8 + 8 * $0 })
    }
  }

  /// Replaces one page of the free list by another, keeping the order.
  mutating func addToFreeList(_ page: Int) throws {
    let record = try #require(freeRecords.last { !$0.pages.isEmpty })
    let place = record.pages.first { self[$0] < page } ?? record.pages.last
    self[try #require(place)] = page
  }

  // MARK: -

  private func walk(_ page: Int, _ database: inout Database) {
    guard data[page * Self.pageSize + 10] == 1 else {
      database.leaves.append(page)
      for cell in cells(of: page) where flags(of: cell) & 1 != 0 {
        database.overflowOffsets.append(value(of: cell))
        database.overflows.append(self[value(of: cell)])
      }
      return
    }
    database.branches.append(page)
    for cell in cells(of: page) { walk(self[cell] & 0xFFFF_FFFF_FFFF, &database) }
  }

  private func root(_ offset: Int) -> Int? {
    data[offset..<offset + 8].allSatisfy { $0 == 0xFF } ? nil : self[offset]
  }

  private func cells(of page: Int) -> [Int] {
    let start = page * Self.pageSize
    return (0..<(short(start + 12) - 16) / 2).map { start + short(start + 16 + 2 * $0) }
  }

  private func flags(of cell: Int) -> Int { short(cell + 4) }

  private func key(of cell: Int) -> Range<Int> { cell + 8..<cell + 8 + short(cell + 6) }

  private func value(of cell: Int) -> Int { key(of: cell).upperBound }

  private func short(_ offset: Int) -> Int { Int(data[offset]) | Int(data[offset + 1]) << 8 }

  private static func integer(_ data: Data, _ offset: Int) -> Int {
    Int(truncatingIfNeeded: (0..<8).reduce(0) { $0 | UInt64(data[offset + $1]) << (8 * $1) })
  }
}
