package import Carillon

extension Written {
  /// A batch that was appended, as `{appended,first{position,sequence,id},last{}}`.
  package var batchJSON: JSON {
    [
      "appended": .integer(events.count), "first": events.first.json, "last": events.last.json,
    ]
  }
}

extension Written.Item? {
  fileprivate var json: JSON {
    guard let self else { return .null }
    return [
      "position": .integer(self.position.rawValue), "sequence": .integer(self.sequence.rawValue),
      "id": .text(self.id.description),
    ]
  }
}
