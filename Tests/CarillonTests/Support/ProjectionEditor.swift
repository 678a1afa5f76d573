import Foundation
import GRDB

/// Changes the rows of a projection file by hand, with the checksums of its pages: what is then
/// wrong is wrong in the rows alone.
enum ProjectionEditor {
  static func run(_ sql: String, on file: URL) throws {
    // The projections have registered their files' VFS.
    let database = try DatabaseQueue(path: file.absoluteString + "?vfs=carillon-checksums")
    try database.write { try $0.execute(sql: sql) }
    try database.close()
  }
}
