/// How much of what was fetched, shown and answered stays in the projections; the log keeps all.
public enum Retention {
  /// How many facts of each kind are kept of one source and writing replica: the newest, by
  /// (event ID, place in the event), whatever the order of arrival.
  ///
  /// The source of an occurrence's fact is its habit. A fact that is not kept is as if it had never
  /// been: an item that comes again alerts again.
  public static let perSource = 1_000
}
