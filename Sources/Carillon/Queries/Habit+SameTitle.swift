package import CarillonModel
import Foundation

extension [Habit] {
  /// Returns the habits that have a title, in any case and with any accents: those that are not
  /// archived first.
  ///
  /// The title of a deleted habit is free.
  ///
  /// - Parameter habit: A habit that is left out; nil for none.
  package func titled(_ title: String, besides habit: HabitID? = nil) -> [Habit] {
    let folded = title.folded
    let found = filter { $0.id != habit && !$0.isDeleted && $0.title.folded == folded }
    return found.filter { !$0.isArchived } + found.filter(\.isArchived)
  }
}

extension String {
  /// The text in lower case, without accents, and with equal widths, for comparisons.
  package var folded: String {
    var text = lowercased()
    // ASCII has no accents and one width.
    if text.utf8.contains(where: { $0 >= 0x80 }) {
      let scalars = decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
      text = ""
      text.unicodeScalars.append(
        contentsOf: scalars.filter { $0.properties.generalCategory != .nonspacingMark })
    }
    guard let first = text.firstIndex(where: { $0 != " " }),
      let last = text.lastIndex(where: { $0 != " " })
    else { return "" }
    return String(text[first...last])
  }
}
