import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonSealing

/// Two devices that a person pairs with six words.
struct PairingTests {
  private func words(_ words: [String]) throws -> PairingWords {
    try PairingWords(words.joined(separator: " "))
  }

  @Test("The keys reach a new device whose words the person types")
  func pairing() throws {
    let ring = try Fixtures.ring(3)
    let joiner = PairingJoiner()
    let holder = try PairingHolder(joiner.commitment, sharing: ring)
    let answered = try joiner.receive(holder.answer)
    let opened = try holder.receive(answered.opening)
    #expect(answered.store == Fixtures.store)
    let (sealed, last) = try opened.confirm(words(answered.words))
    let received = try answered.finish(sealed, words: words(last))
    #expect(received.bytes == ring.bytes)
  }

  @Test("A man in the middle with keys of his own gets nothing, whichever side he serves first")
  func middle() throws {
    let ring = try Fixtures.ring()
    // He pairs with the new device as the one that has keys, and with the other as a new one.
    let joiner = PairingJoiner()
    let false1 = try PairingHolder(joiner.commitment, sharing: try Fixtures.ring(2))
    let answered = try joiner.receive(false1.answer)
    let false2 = PairingJoiner()
    let holder = try PairingHolder(false2.commitment, sharing: ring)
    let stolen = try false2.receive(holder.answer)
    let opened = try holder.receive(stolen.opening)
    // The person types what the new device shows.
    let typed = try words(answered.words)
    #expect(stolen.words != typed.words)
    do throws(SealingError) {
      _ = try opened.confirm(typed)
      Issue.record("the keys were given away")
    } catch { #expect(error.code == .refusedPairing) }
    // The other device shows no words, so he cannot complete the new device's side either.
    let given = try false1.receive(answered.opening).confirm(typed)
    do throws(SealingError) {
      _ = try answered.finish(given.sealed, words: typed)
      Issue.record("the new device took keys that nobody confirmed")
    } catch { #expect(error.code == .refusedPairing) }
  }

  @Test("Over 100 pairings, keys in the middle never lead to equal words on both devices")
  func chance() throws {
    let ring = try Fixtures.ring()
    for _ in 0..<100 {
      let joiner = PairingJoiner()
      let between = PairingJoiner()
      let served = try PairingHolder(joiner.commitment, sharing: ring)
      let answered = try joiner.receive(served.answer)
      let holder = try PairingHolder(between.commitment, sharing: ring)
      let other = try between.receive(holder.answer)
      #expect(answered.words != other.words)
    }
  }

  @Test("A new device that shows another key than it had fixed is refused")
  func commitment() throws {
    let joiner = PairingJoiner()
    let other = PairingJoiner()
    let holder = try PairingHolder(joiner.commitment, sharing: Fixtures.ring())
    let opening = try other.receive(holder.answer).opening
    do throws(SealingError) {
      _ = try holder.receive(opening)
      Issue.record("another key was accepted")
    } catch { #expect(error.code == .refusedPairing) }
  }

  @Test("A pairing in which one bit of any byte was changed on its way is refused")
  func bits() throws {
    for message in 0..<4 {
      let counts = [33, 81, 65, 82]
      for bit in (0..<counts[message]).map({ $0 * 8 + $0 % 8 }) {
        #expect(
          code { () throws(SealingError) in try pair(changing: bit, of: message) } != nil,
          "bit \(bit) of message \(message)")
      }
    }
    #expect(try pair(changing: nil, of: 0).epochs.count == 1)
  }

  /// Pairs two devices, with one bit of one message changed; the person types what is shown.
  private func pair(changing bit: Int?, of place: Int) throws(SealingError) -> KeyRing {
    func carried(_ message: [UInt8], _ number: Int) -> [UInt8] {
      guard let bit, number == place else { return message }
      var changed = message
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      return changed
    }
    var ring = KeyRing(store: Fixtures.store)
    try ring.add(Fixtures.key(1))
    let joiner = PairingJoiner()
    let holder = try PairingHolder(carried(joiner.commitment, 0), sharing: ring)
    let answered = try joiner.receive(carried(holder.answer, 1))
    let opened = try holder.receive(carried(answered.opening, 2))
    let shown = try PairingWords(answered.words.joined(separator: " "))
    let (sealed, last) = try opened.confirm(shown)
    return try answered.finish(
      carried(sealed, 3), words: PairingWords(last.joined(separator: " ")))
  }

  @Test("A public key of few possible secrets is refused")
  func lowOrder() throws {
    let joiner = PairingJoiner()
    let answer = [1] + Fixtures.store.bytes + [UInt8](repeating: 0, count: 64)
    do throws(SealingError) {
      _ = try joiner.receive(answer)
      Issue.record("a key of zeros was accepted")
    } catch { #expect(error.code == .damaged) }
  }

  @Test("A typed word that is not in the list is named, before anything is decided")
  func typing() {
    #expect(
      code { () throws(SealingError) in try PairingWords("guitar guitr guitar") }
        == .malformedWords)
    #expect(
      code { () throws(SealingError) in try PairingWords("guitar guitar") } == .malformedWords)
  }
}
