package import CarillonModel
package import CarillonSQLite

extension Store {
  /// Writes a batch of events, decided on the newest state, in one transaction.
  ///
  /// A batch does not count as activity of the person. It is decided again if another writer came
  /// first.
  ///
  /// - Parameter decide: Reads the projections, and returns the payloads and a result.
  /// - Returns: The result of the decision that was written.
  @discardableResult
  package func writeBatch<Result: Sendable>(
    _ decide: @escaping @Sendable (ProjectionReader) throws -> (payloads: [Payload], result: Result)
  ) async throws -> Result {
    let decided = Locked<Result?>(nil)
    _ = try await write(isActivity: false) { context in
      let (payloads, result) = try decide(context.reader)
      decided.set(result)
      return Decision(payloads: payloads, needsState: true)
    }
    guard let result = decided.value else { preconditionFailure("no batch was decided") }
    return result
  }
}
