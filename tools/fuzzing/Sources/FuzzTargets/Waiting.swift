import Dispatch
import Synchronization

/// Does asynchronous work while libFuzzer's thread waits.
func waiting<Value: Sendable>(
  for work: @escaping @Sendable () async throws -> Value
) throws -> Value {
  let outcome = Outcome<Value>()
  let done = DispatchSemaphore(value: 0)
  Task {
    do {
      outcome.set(.success(try await work()))
    } catch {
      outcome.set(.failure(error))
    }
    done.signal()
  }
  done.wait()
  return try outcome.get()
}

private final class Outcome<Value: Sendable>: Sendable {
  /// Guards the one result.
  private let result = Mutex<Result<Value, any Error>?>(nil)

  func set(_ result: Result<Value, any Error>) {
    self.result.withLock { $0 = result }
  }

  func get() throws -> Value {
    guard let result = result.withLock({ $0 }) else {
      preconditionFailure("the work returned no result")
    }
    return try result.get()
  }
}
