import CarillonTestSupport
import Testing

@testable import CarillonModel

/// Which edits of one field are lost.
@Suite struct EditConflictTests {
  private static func id(_ number: UInt64) -> EventID { EventID(words: (number, 0, 0, 0)) }

  /// Edits by number with the numbers of what each replaces, added in the given order.
  private static func edits(_ edits: [(UInt64, [UInt64])]) -> FieldEdits {
    var found = FieldEdits()
    for (event, replaced) in edits { found.add(id(event), replacing: replaced.map(id)) }
    return found
  }

  @Test("Of edits in sequence nothing is lost, of concurrent ones all but the greatest")
  func lost() {
    let sequence = Self.edits([(2, [1]), (3, [2]), (4, [3])])
    #expect(sequence.unreplaced == [Self.id(4)])
    #expect(sequence.lost(to: Self.id(4)).isEmpty)
    let concurrent = Self.edits([(2, [1]), (3, [1]), (4, [1])])
    #expect(concurrent.lost(to: Self.id(4)) == [Self.id(2), Self.id(3)])
    let ended = Self.edits([(2, [1]), (3, [1]), (4, [2, 3])])
    #expect(ended.lost(to: Self.id(4)).isEmpty)
  }

  @Test("An edit that saw one of two concurrent edits leaves the other lost")
  func partial() {
    let edits = Self.edits([(2, [1]), (3, [1]), (4, [3])])
    #expect(edits.lost(to: Self.id(4)) == [Self.id(2)])
  }

  @Test("Nothing is lost to an event that does not state what it replaces")
  func unstated() {
    let edits = Self.edits([(2, [1]), (3, [1])])
    #expect(edits.lost(to: Self.id(9)).isEmpty)
  }

  @Test("The order in which edits arrive changes nothing", arguments: TestSeed.first(20))
  func order(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let history = (2...9).map { event -> (UInt64, [UInt64]) in
      (event, (1..<event).filter { _ in Int.random(in: 1...3, using: &random) == 1 })
    }
    let expected = Self.edits(history)
    for _ in 0..<20 {
      let other = Self.edits(history.shuffled(using: &random))
      #expect(other.unreplaced == expected.unreplaced)
      #expect(other.lost(to: Self.id(9)) == expected.lost(to: Self.id(9)))
    }
  }
}
