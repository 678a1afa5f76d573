extension Store {
  /// Checks that this process can write to the log now, without writing.
  ///
  /// - Throws: `busy` if another process keeps the log; `readOnly`, `full`, `corrupt`, `closed`,
  ///   `io`.
  package func checkWriter() async throws(StoreError) {
    try await StoreError.translating {
      _ = try await self.log.record(wallClock: self.options.clock(), deciding: { [] })
    }
  }
}
