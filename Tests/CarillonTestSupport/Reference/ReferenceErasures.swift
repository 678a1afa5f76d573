internal import CarillonModel
internal import CarillonWire

/// The events covered by erasures, found by the names that payloads have in JSON.
struct ReferenceErasures: Sendable {
  private var erasures: [EventID: Erasure] = [:]

  /// Adds an erasure; returns false if it is already known.
  mutating func add(_ erasure: Erasure, _ event: EventID) -> Bool {
    erasures.updateValue(erasure, forKey: event) == nil
  }

  /// Whether an event is covered by an erasure.
  func cover(_ payload: Payload, of event: EventID) -> Bool {
    guard !erasures.isEmpty else { return false }
    let object = EventJSON.object(payload)
    return erasures.values.contains { Self.covers($0, object, event) }
  }

  private static func covers(_ erasure: Erasure, _ object: JSONObject, _ event: EventID) -> Bool {
    guard let type = object["type"]?.text, type != "data.erased" else { return false }
    let isReceipt = ["receipt.advanced", "response.recorded"].contains(type)
    func isUpTo(_ last: EventID?) -> Bool { last.map { event <= $0 } ?? true }
    switch erasure.scope {
    case .habit(let habit):
      return object["habit"]?.text == habit.description
    case .receipts(let habit, let last):
      return isReceipt && object["habit"]?.text == habit.description && isUpTo(last)
    case .items(let source, let last):
      let isOfItems =
        type == "item.observed" || isReceipt && object["subject"]?.text == "item"
      guard isOfItems, let named = object["source"]?.text else { return false }
      return named.utf8.elementsEqual(source.utf8) && isUpTo(last)
    }
  }
}

extension JSONValue {
  fileprivate var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
