#if Service
import Foundation

/// One event of a stream.
struct StreamEvent: Equatable, CustomStringConvertible {
  var id: String?
  var name = "message"
  var data = ""

  var description: String { "\(id ?? "-") \(name): \(data)" }
}

/// The events of a stream on a connection.
final class EventReader {
  private let connection: WireConnection
  private var text = ""
  /// The number of comments, which are signs of life.
  private(set) var commentCount = 0

  init(_ connection: WireConnection) {
    self.connection = connection
  }

  /// Returns the next event; nil at the end of the stream.
  func next() async -> StreamEvent? {
    while true {
      while let end = text.range(of: "\n\n") {
        let block = text[..<end.lowerBound]
        text.removeSubrange(..<end.upperBound)
        if let event = event(in: block) { return event }
      }
      guard let chunk = await connection.chunk(), !chunk.isEmpty else { return nil }
      text += chunk
    }
  }

  private func event(in block: Substring) -> StreamEvent? {
    var event: StreamEvent?
    for line in block.split(separator: "\n") {
      let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
      guard !line.hasPrefix(":"), parts.count == 2 else {
        commentCount += 1
        continue
      }
      switch parts[0] {
      case "id":
        event = event ?? StreamEvent()
        event?.id = parts[1]
      case "event":
        event = event ?? StreamEvent()
        event?.name = parts[1]
      case "data":
        event = event ?? StreamEvent()
        event?.data = parts[1]
      default: break
      }
    }
    return event
  }
}
#endif
