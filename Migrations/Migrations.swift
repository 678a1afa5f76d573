/// The SQL that makes a projection file, embedded in the code.
///
/// A file of another version is not converted but built anew from the log, so all migrations are
/// always applied together, in this order.
package enum Migrations {
  /// One file of SQL.
  package struct Migration: Hashable, Sendable {
    /// The file's name, such as `p0001_checkpoint.sql`.
    package let name: String
    /// Statements, each ended by a semicolon.
    package let sql: String

    fileprivate init(_ name: String, _ bytes: [UInt8]) {
      self.name = name
      sql = String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The version of the projections: raised with every new file, and whenever a build reads more
  /// kinds or fields or projects them otherwise.
  package static let version: UInt32 = 6

  /// The files, in the order in which they are applied.
  package static var projections: [Migration] {
    [
      Migration("p0001_checkpoint.sql", PackageResources.p0001_checkpoint_sql),
      Migration("p0002_habit.sql", PackageResources.p0002_habit_sql),
      Migration("p0003_entry.sql", PackageResources.p0003_entry_sql),
      Migration("p0004_device.sql", PackageResources.p0004_device_sql),
      Migration("p0005_pending.sql", PackageResources.p0005_pending_sql),
      Migration("p0006_receipt.sql", PackageResources.p0006_receipt_sql),
      Migration("p0007_background.sql", PackageResources.p0007_background_sql),
      Migration("p0008_planning.sql", PackageResources.p0008_planning_sql),
      Migration("p0009_erasure.sql", PackageResources.p0009_erasure_sql),
      Migration("p0010_stay.sql", PackageResources.p0010_stay_sql),
    ]
  }
}
