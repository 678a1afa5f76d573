import Foundation
import GRDB

/// Changes the rows of a projection file by hand, and updates the checksums of its pages, so that
/// only the rows are wrong.
enum ProjectionEditor {
  static func run(_ sql: String, on file: URL) throws {
    // The projections have registered the VFS of their files.
    let database = try DatabaseQueue(path: file.absoluteString + "?vfs=carillon-checksums")
    try database.write { try $0.execute(sql: sql) }
    try database.close()
  }
}
