internal import CarillonLog
internal import CarillonModel
internal import Foundation

/// Checks the first two pages of a data file before LMDB maps the file and trusts these pages.
struct MetaCheck {
  let descriptor: Int32
  let path: String

  /// Returns the page size if the pages are valid.
  ///
  /// Another process may be writing the pages, so a problem counts only if it is found three times.
  func pageSize() throws -> Int {
    for _ in 0..<2 {
      if try problem() == nil { break }
    }
    if let problem = try problem() { throw problem }
    return MetaPage(of: descriptor, at: 0)?.pageSize ?? 0
  }

  private func problem() throws -> LogError? {
    let byteCount = try byteCount()
    guard let first = MetaPage(of: descriptor, at: 0) else {
      return .corrupt("\(path) has \(byteCount) bytes, which is less than a page")
    }
    if let problem = first.problem(number: 0) { return .corrupt("\(path): \(problem)") }
    guard first.version == MetaPage.dataVersion else {
      return LogError(
        code: .unsupportedFormat,
        message: "\(path) has LMDB's data format \(first.version), but this build reads only "
          + "format \(MetaPage.dataVersion)")
    }
    guard let second = MetaPage(of: descriptor, at: first.pageSize) else {
      return .corrupt("\(path) ends within its second page")
    }
    if let problem = second.problem(number: 1) { return .corrupt("\(path): \(problem)") }
    let (older, newest) =
      first.transaction > second.transaction ? (second, first) : (first, second)
    // A file never has fewer pages than before. LMDB would overwrite the pages beyond the last one.
    guard second.version == first.version, second.pageSize == first.pageSize,
      newest.transaction <= 1 || newest.transaction - older.transaction == 1,
      newest.lastPage >= older.lastPage
    else { return .corrupt("\(path): the first two pages contradict each other") }
    guard byteCount >= (Int(newest.lastPage) + 1) * first.pageSize else {
      return .corrupt("\(path) has \(byteCount) bytes, too few for \(newest.lastPage + 1) pages")
    }
    return nil
  }

  private func byteCount() throws(StorageFailure) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StorageFailure(code: errno, action: "cannot read the size of \(path)")
    }
    return Int(status.st_size)
  }
}
