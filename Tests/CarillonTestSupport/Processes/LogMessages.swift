package import Logging
import Synchronization

/// The warnings and errors that a logger received.
package final class LogMessages: Sendable {
  private let messages = Mutex<[String]>([])

  package init() {}

  /// The messages so far.
  package var all: [String] { messages.withLock { $0 } }

  /// A logger that records here.
  package var logger: Logger {
    var logger = Logger(label: "carillon") { _ in Handler(messages: self) }
    logger.logLevel = .warning
    return logger
  }

  private struct Handler: LogHandler {
    let messages: LogMessages
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      messages.messages.withLock { $0.append("\(event.message)") }
    }
  }
}
