import Synchronization

/// A value that several threads share, protected by a lock.
final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) {
    mutex = Mutex(value)
  }

  var value: Value { mutex.withLock { $0 } }

  func set(_ value: Value) {
    mutex.withLock { $0 = value }
  }
}
