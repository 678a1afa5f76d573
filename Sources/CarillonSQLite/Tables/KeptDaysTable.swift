extension Table {
  /// The sums of the older dates of habits, see ``KeptDays``.
  static let keptDays = Table(
    "kept_days", .last, erasedWith: .nothing, key: [.id("habit")],
    [
      // The last of these dates, and the greatest event that recorded an entry of one of them.
      .date("through"), .event,
      // For each date with entries its distance from the one before, the number of entries and the
      // sum of their amounts.
      .bytes("days"),
    ])
}
