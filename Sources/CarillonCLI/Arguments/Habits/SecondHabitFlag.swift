import ArgumentParser
import Carillon
import CarillonDocuments

/// `--again`: allows a second habit of the same title.
struct SecondHabitFlag: ParsableArguments {
  @Flag(help: "Allow a second habit of a title that another has already.") var again = false

  /// Returns the check that no other habit has a title, in any case and with any accents; nil with
  /// `--again`.
  ///
  /// The title of a deleted habit is free.
  ///
  /// - Parameters:
  ///   - habit: The habit that gets the title; nil for a new one.
  ///   - includingArchived: Whether the title of an archived habit is refused too.
  func check(
    _ title: String, of habit: Habit? = nil, includingArchived: Bool = true
  ) -> HabitsCheck? {
    guard !again else { return nil }
    return { habits in
      let others = habits.titled(title, besides: habit?.id).filter {
        includingArchived || !$0.isArchived
      }
      guard let other = others.first else { return }
      let back = other.wayBack(among: others).map { "\($0); " } ?? ""
      throw CommandFailure(
        status: .cannotCreate, code: StoreError.Code.alreadyExists.rawValue,
        message: "there is already a habit \"\(other.title)\""
          + (other.isArchived ? ", which is archived" : ""),
        hint: back + "add --again for a second habit of this title"
          + (back.isEmpty ? ", or give one of them another" : ""))
    }
  }
}
