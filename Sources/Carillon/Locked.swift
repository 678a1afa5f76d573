import Synchronization

/// A value that several threads share, protected by a lock.
package final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  package init(_ value: Value) {
    mutex = Mutex(value)
  }

  package var value: Value { mutex.withLock { $0 } }

  package func set(_ value: Value) {
    mutex.withLock { $0 = value }
  }
}
