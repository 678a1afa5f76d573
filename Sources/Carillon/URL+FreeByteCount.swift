package import Foundation

extension URL {
  /// The number of bytes that this process may still use on the disk of a path, which need not
  /// exist; nil if it is unknown.
  package var freeByteCount: Int64? {
    var status = statvfs()
    var place = self
    while statvfs(place.path, &status) != 0 {
      guard errno == ENOENT else { return nil }
      place.deleteLastPathComponent()
    }
    // Some blocks are for root alone.
    let count = geteuid() == 0 ? status.f_bfree : status.f_bavail
    return Int64(clamping: UInt64(count).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
  }
}
