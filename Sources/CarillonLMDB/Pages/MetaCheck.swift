internal import CarillonModel
internal import Foundation

/// Looks at the first two pages of a data file before LMDB does, which would map the file and
/// follow what they say.
struct MetaCheck {
  let descriptor: Int32
  let path: String

  /// The page size, where nothing is wrong.
  ///
  /// Another process may be writing the pages: what is wrong must be wrong three times.
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
      return .corrupt("\(path) has \(byteCount) bytes, less than a page")
    }
    if let problem = first.problem(number: 0) { return .corrupt("\(path): \(problem)") }
    guard first.version == MetaPage.dataVersion else {
      return LogError(
        code: .unsupportedFormat,
        message: "\(path) is of LMDB's data format \(first.version); this build reads "
          + "\(MetaPage.dataVersion). Use a newer Carillon.")
    }
    guard let second = MetaPage(of: descriptor, at: first.pageSize) else {
      return .corrupt("\(path) ends in its second page")
    }
    if let problem = second.problem(number: 1) { return .corrupt("\(path): \(problem)") }
    let (older, newest) =
      first.transaction > second.transaction ? (second, first) : (first, second)
    // A file never has fewer pages than before: LMDB would write over those beyond the last.
    guard second.version == first.version, second.pageSize == first.pageSize,
      newest.transaction <= 1 || newest.transaction - older.transaction == 1,
      newest.lastPage >= older.lastPage
    else { return .corrupt("\(path): its first two pages disagree") }
    guard byteCount >= (Int(newest.lastPage) + 1) * first.pageSize else {
      return .corrupt("\(path) has \(byteCount) bytes, but \(newest.lastPage + 1) pages")
    }
    return nil
  }

  private func byteCount() throws(StorageFailure) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StorageFailure(code: errno, action: "Cannot read the size of \(path)")
    }
    return Int(status.st_size)
  }
}
