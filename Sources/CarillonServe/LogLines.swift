#if Service
import CarillonDocuments
import CarillonModel
import Foundation
import Logging

/// Writes each message of the log as one JSON object on a line of standard error.
///
/// The member `request` has the ID of the request that a message concerns.
struct LogLines: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    var line: JSON = [
      "time": .text(now.rfc3339(offsetSeconds: 0)), "level": .text(event.level.rawValue),
      "message": .text(event.message.description),
    ]
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let members = all.map { ($0.key == "hb.request.id" ? "request" : $0.key, "\($0.value)") }
    line = line.merging(.object(members.sorted { $0.0 < $1.0 }.map { ($0.0, JSON.text($0.1)) }))
    // A service goes on without its log, such as on a full disk.
    StandardStream.errors.write(line.line)
  }
}
#endif
