package import CarillonModel

/// Returns the code of the `LogError` that a body throws; nil if it throws none.
package func logErrorCode(_ body: () async throws -> Void) async throws -> LogError.Code? {
  do {
    try await body()
    return nil
  } catch let error as LogError {
    return error.code
  }
}
