extension String {
  /// The text with `...` in place of the password of each URL, and after each `password=`.
  ///
  /// A password that is not percent-encoded may itself have an @ or a slash, so it ends at the last
  /// @ of the word.
  package var withoutPasswords: String {
    replacing(/(:\/\/[^\s\/:@]*):\S*@/) { "\($0.output.1):...@" }
      .replacing(/((?i:password)=)[^\s&'"]+/) { "\($0.output.1)..." }
  }
}
