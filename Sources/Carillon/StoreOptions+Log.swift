internal import CarillonModel
internal import Logging

extension StoreOptions {
  /// The options that apply to the log.
  var log: LogOptions {
    var options = LogOptions()
    options.logger = logger
    options.busyTimeout = busyTimeout
    options.durability = durability
    return options
  }

  /// Sends notices and warnings to a closure instead of the process's log.
  ///
  /// - Parameter write: Receives one sentence, without a line end, on any thread.
  package mutating func setLog(_ write: @escaping @Sendable (_ message: String) -> Void) {
    logger = Logger(label: "carillon") { _ in ClosureLogHandler(write: write) }
  }
}

/// Passes messages of level notice and above to a closure.
private struct ClosureLogHandler: LogHandler {
  let write: @Sendable (String) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.notice

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    write(event.message.description)
  }
}
