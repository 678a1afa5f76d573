import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@testable import CarillonSealing

/// 24 words that open a store, and the list from which they are.
struct RecoveryPhraseTests {
  @Test("A phrase reads back from its words, in either case and with any white space")
  func roundTrip() throws {
    for seed in TestSeed.first(100) {
      var random = SeededGenerator(seed: seed)
      let phrase = RecoveryPhrase(entropy: Fixtures.bytes(32, using: &random))
      let words = phrase.words
      #expect(words.count == RecoveryPhrase.wordCount)
      #expect(try RecoveryPhrase(words.joined(separator: " ")) == phrase, "seed \(seed)")
      let written = "\n " + words.joined(separator: "\t\n").uppercased() + "  "
      #expect(try RecoveryPhrase(written) == phrase, "seed \(seed)")
    }
    #expect(RecoveryPhrase() != RecoveryPhrase())
  }

  @Test("Another word in one place is refused in 255 of 256 cases")
  func singleWords() throws {
    var (changes, accepted) = (0, 0)
    for seed in TestSeed.first(1) {
      var random = SeededGenerator(seed: seed)
      let words = RecoveryPhrase(entropy: Fixtures.bytes(32, using: &random)).words
      for place in words.indices {
        for word in Words.list where word != words[place] {
          var changed = words
          changed[place] = word
          changes += 1
          let refusal = code { () throws(SealingError) in
            try RecoveryPhrase(changed.joined(separator: " "))
          }
          if refusal == nil { accepted += 1 }
        }
      }
    }
    // The last word has 3 random bits, so fewer of its changes are accepted. Four standard
    // deviations above the expected number.
    let expected = Double(changes) / 256
    #expect(Double(accepted) < expected + 4 * expected.squareRoot(), "seed \(TestSeed.value)")
    #expect(changes == TestSeed.first(1).count * 24 * 2_047)
  }

  @Test("A word that is not in the list is named with its place and the words near to it")
  func unknownWords() throws {
    var words = RecoveryPhrase(entropy: [UInt8](repeating: 0, count: 32)).words
    for (wrong, near) in [
      ("giutar", "guitar"), ("guitr", "guitar"), ("guitarr", "guitar"), ("guitat", "guitar"),
      ("guitarist", "guitar"),
    ] {
      words[4] = wrong
      do throws(SealingError) {
        _ = try RecoveryPhrase(words.joined(separator: " "))
        Issue.record("\(wrong) is accepted")
      } catch {
        #expect(error.code == .malformedWords)
        #expect(error.index == 4)
        #expect(error.message.contains("word 5 of the recovery phrase, \"\(wrong)\""))
        #expect(error.hint?.contains(near) == true, "\(error.hint ?? "")")
      }
    }
  }

  @Test(
    "A text that is no phrase is refused with what is wrong",
    arguments: ["", "guitar", String(repeating: "guitar ", count: 25), "\u{1B}[31m", "é 🙂"])
  func others(_ text: String) {
    #expect(code { () throws(SealingError) in try RecoveryPhrase(text) } == .malformedWords)
    do throws(SealingError) {
      _ = try RecoveryPhrase(text)
    } catch { #expect(!error.message.contains("\u{1B}")) }
  }

  @Test("The words in the code are those of the specification")
  func specification() throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "protocol/words.txt")
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text == Words.list.map { $0 + "\n" }.joined())
  }

  @Test("Each word begins with four letters of its own, and no single slip makes another of it")
  func list() {
    #expect(Words.list.count == 1 << Words.bitsPerWord)
    #expect(Words.list == Words.list.sorted())
    #expect(Set(Words.list.map { $0.prefix(4) }).count == Words.list.count)
    #expect(
      Words.list.allSatisfy { word in
        4...7 ~= word.count && word.allSatisfy { $0.isASCII && $0.isLowercase }
      })
    let letters = Words.list.map { Array($0.unicodeScalars) }
    for (index, word) in letters.enumerated() {
      let near = letters[(index + 1)...].filter {
        abs($0.count - word.count) < 2 && Words.isOneEdit(word, $0)
      }
      #expect(near.isEmpty, "\(Words.list[index])")
    }
  }
}
