/// One direction of a transport that loses, repeats, delays and corrupts messages, as a seed has
/// it.
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

    /// A transport that does what it should.
    package static let none = Faults()
    /// A transport that does everything a transport to a watch does.
    package static let watch = Faults(loss: 100, repetition: 150, delay: 200)
  }

  private let faults: Faults
  /// What is on its way.
  private(set) var messages: [[UInt8]] = []
  /// Whether a message was lost.
  private(set) var hasLost = false
  /// Whether a message was changed on its way.
  private(set) var hasCorrupted = false

  package init(faults: Faults) {
    self.faults = faults
  }

  /// Puts a message on its way: perhaps never, perhaps twice, perhaps before earlier ones.
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

  /// The next message, if one is on its way.
  package mutating func receive() -> [UInt8]? {
    messages.isEmpty ? nil : messages.removeFirst()
  }
}
