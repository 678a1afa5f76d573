/// Calls a closure with a check that throws once the task is cancelled, for work on the queue of a
/// database, where the task is not known.
func withCancellationCheck<Result: Sendable>(
  _ body: (@Sendable @escaping () throws -> Void) async throws -> Result
) async throws -> Result {
  let isCancelled = Locked(false)
  return try await withTaskCancellationHandler {
    try await body { if isCancelled.value { throw CancellationError() } }
  } onCancel: {
    isCancelled.set(true)
  }
}
