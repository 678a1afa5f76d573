internal import CarillonModel
internal import Foundation

/// Checks the pages of a projection file when the projections in use are in memory.
extension SQLiteProjections {
  /// Returns the first damage of a generation's file; nil if none is found or the file does not
  /// exist.
  ///
  /// If this process may not lock the file, another process may be writing it. A problem therefore
  /// counts only if it is found three times and the file is still the one in use.
  ///
  /// - Throws: `cancelled`, `io`.
  /// - Complexity: O(bytes).
  func fileDamage(_ generation: UInt64) async throws -> RowDifference? {
    let file = files.file(of: generation)
    var damage: RowDifference?
    for look in 0..<3 {
      if look > 0 { try await Task.sleep(for: .milliseconds(20)) }
      damage = try Self.damage(file, generation, log)
      if damage == nil { return nil }
    }
    return try log.projectionGeneration() == generation ? damage : nil
  }

  private static func damage(
    _ file: URL, _ generation: UInt64, _ log: any EventReader
  ) throws -> RowDifference? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      // A file that other processes write is read in one snapshot, as by SQLite's own readers.
      let database = try ProjectionDatabase.open(
        file, generation: generation, log: log,
        for: ProjectionFiles.isAtRest(file) ? .frozen : .read)
      defer { database.close() }
      return try database.perform { try RowComparison.damage(of: $0) }
    } catch let error as ProjectionError {
      switch error.code {
      case .damaged: return RowDifference(table: "file", key: error.message)
      case .cancelled, .closed: throw error
      default: return try damagedPage(of: file)
      }
    }
  }

  /// Returns the first page that does not match its checksum, for a file that SQLite cannot open.
  ///
  /// SQLite needs disk space to read a file that other processes may write.
  ///
  /// A page that was never written has no checksum.
  private static func damagedPage(of file: URL) throws -> RowDifference? {
    let descriptor = Foundation.open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw ProjectionError(errno: errno, "cannot open \(file.path)") }
    defer { Foundation.close(descriptor) }
    let size = PageChecksum.pageByteCount
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    defer { page.deallocate() }
    var number: UInt64 = 0
    while true {
      let count = pread(descriptor, page.baseAddress, size, off_t(number) * off_t(size))
      guard count >= 0 else { throw ProjectionError(errno: errno, "cannot read \(file.path)") }
      guard count > 0 else { return nil }
      number += 1
      guard count == size, PageChecksum.isIntact(page, number: number) else {
        return RowDifference(table: "file", key: "page \(number)")
      }
    }
  }
}
