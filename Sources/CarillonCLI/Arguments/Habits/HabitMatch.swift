import Carillon
import CarillonDocuments
import Foundation

/// Finds the habits that a person means by an ID, a title, or a few letters of one.
struct HabitMatch {
  let text: String
  private let folded: String

  init(_ text: String) {
    self.text = text
    folded = text.folded
  }

  /// The ID that the text is, or nil.
  var id: HabitID? { HabitID(text) }
  /// The title that the text is.
  var title: String {
    // ASCII has one form, and Foundation takes long to find that.
    text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
  }

  /// Returns the habits that the text names in full: the one of this ID, else all with this title.
  func exact(in habits: [Habit]) -> [Habit] {
    if let id, let habit = habits.first(where: { $0.id == id }) { return [habit] }
    return habits.filter { $0.title == title }
  }

  /// Returns the habits that the text names in full, with the title in any case and any accents.
  func whole(in habits: [Habit]) -> [Habit] {
    let exact = exact(in: habits)
    return exact.isEmpty ? habits.filter { $0.title.folded == folded } : exact
  }

  /// Returns the habits that the text names, in full or by a few letters.
  ///
  /// The first of these rules that any habit meets decides: the ID; the title; the title in any
  /// case and with any accents; its beginning; the beginnings of some of its words, in any order;
  /// the first 4 characters of the ID or more.
  func all(in habits: [Habit]) -> [Habit] {
    let exact = exact(in: habits)
    guard exact.isEmpty, !folded.isEmpty else { return exact }
    let titles = habits.map { (habit: $0, title: $0.title.folded) }
    let words = folded.words
    let rules: [(String) -> Bool] = [
      { $0 == folded }, { $0.hasPrefix(folded) }, { Self.holds($0.words, words) },
    ]
    for rule in rules {
      let found = titles.filter { rule($0.title) }.map(\.habit)
      if !found.isEmpty { return found }
    }
    let id = text.lowercased()
    guard id.utf8.count >= IDPrefix.leastCharacters else { return [] }
    return habits.filter { $0.id.description.hasPrefix(id) }
  }

  /// Returns the title that a misspelled text probably means, or nil.
  func near(in habits: [Habit]) -> String? {
    let titles = habits.map { ($0.title, $0.title.folded) }
    guard let near = folded.nearest(of: titles.map(\.1)) else { return nil }
    return titles.first { $0.1 == near }?.0
  }

  /// Whether each of the given words begins a word of the title of its own.
  private static func holds(_ title: [Substring], _ given: [Substring]) -> Bool {
    guard !given.isEmpty, given.count <= title.count else { return false }
    var rest = title
    // The longer words first: a shorter one may begin the same word.
    for word in given.sorted(by: { $0.count > $1.count }) {
      guard let place = rest.firstIndex(where: { $0.hasPrefix(word) }) else { return false }
      rest.remove(at: place)
    }
    return true
  }
}

extension String {
  /// The words of a text: what is between spaces and punctuation.
  fileprivate var words: [Substring] { split { $0.isWhitespace || $0.isPunctuation } }
}
