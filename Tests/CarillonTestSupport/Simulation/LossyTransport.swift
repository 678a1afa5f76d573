/// One direction of a transport that loses, repeats, delays and corrupts messages, controlled by a
/// seed.
package struct LossyTransport: Sendable {
  /// Chances in 1,000 for each message.
  package struct Faults: Hashable, Sendable {
    package var loss: UInt64
    package var repetition: UInt64
    package var delay: UInt64
    package var corruption: UInt64

    package init(
      loss: UInt64 = 0, repetition: UInt64 = 0, delay: UInt64 = 0, corruption: UInt64 = 0
    ) {
      self.loss = loss
      self.repetition = repetition
      self.delay = delay
      self.corruption = corruption
    }

    /// A transport without faults.
    package static let none = Faults()
    /// A transport with the faults of a connection to a watch.
    package static let watch = Faults(loss: 100, repetition: 150, delay: 200)
  }

  private let faults: Faults
  /// The messages in transit.
  private(set) var messages: [[UInt8]] = []
  /// Whether a message was lost.
  private(set) var hasLost = false
  /// Whether a message was corrupted in transit.
  private(set) var hasCorrupted = false

  package init(faults: Faults) {
    self.faults = faults
  }

  /// Sends a message.
  ///
  /// It may be lost, sent twice, or inserted before earlier messages.
  package mutating func send(
    _ message: [UInt8], using generator: inout some RandomNumberGenerator
  ) {
    func happens(_ chance: UInt64) -> Bool {
      chance > 0 && UInt64.random(in: 0..<1_000, using: &generator) < chance
    }
    let copies = happens(faults.loss) ? 0 : happens(faults.repetition) ? 2 : 1
    if copies == 0 { hasLost = true }
    for _ in 0..<copies {
      var message = message
      if happens(faults.corruption), !message.isEmpty {
        hasCorrupted = true
        let bit = Int.random(in: 0..<8 * message.count, using: &generator)
        message[bit / 8] ^= 1 << (bit % 8)
      }
      let place =
        happens(faults.delay)
        ? Int.random(in: 0...messages.count, using: &generator) : messages.count
      messages.insert(message, at: place)
    }
  }

  /// Returns the next message; nil if none is in transit.
  package mutating func receive() -> [UInt8]? {
    messages.isEmpty ? nil : messages.removeFirst()
  }
}
