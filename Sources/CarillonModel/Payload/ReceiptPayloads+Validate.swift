extension ItemObserved {
  func validate() throws(ModelError) {
    try Limit.text(source, 1...200, "source")
    try Limit.count(items.count, 1...Self.maxItems, "items")
    for item in items { try item.validate() }
  }
}

extension ItemObserved.Item {
  /// Checks every limit.
  ///
  /// - Throws: `invalidValue` naming the field and the limit.
  public func validate() throws(ModelError) {
    try Limit.text(item, 1...256, "item")
    try Limit.text(revision, 1...256, "revision")
    try Limit.text(title, 0...200, "title")
  }
}

extension ReceiptSubject {
  func validate() throws(ModelError) {
    switch self {
    case .occurrence(_, _, let nominal): try Limit.date(nominal.date, "date")
    case .item(let source, let item):
      try Limit.text(source, 1...200, "source")
      try Limit.text(item, 1...256, "item")
    case .push(let id): try Limit.text(id, 1...64, "push")
    }
  }
}

extension ReceiptAdvanced {
  func validate() throws(ModelError) {
    try subject.validate()
    try Limit.text(revision, 1...256, "revision")
    try Limit.instant(at, "at")
    try Limit.instant(fireAt, "fireAt")
  }
}

extension ResponseRecorded {
  func validate() throws(ModelError) {
    try subject.validate()
    try Limit.text(revision, 1...256, "revision")
    try Limit.text(action, 1...64, "action")
    try Limit.text(text, 0...2_000, "text")
    try Limit.instant(at, "at")
  }
}

extension WakeFinished {
  func validate() throws(ModelError) {
    try Limit.count(newCount, 0...1_000_000, "newCount")
  }
}

extension PushTokenSet {
  func validate() throws(ModelError) {
    try Limit.text(environment, 1...64, "environment")
    switch registration {
    case .token(let bytes): try Limit.count(bytes.count, 1...1_024, "token: bytes")
    case .failure(let text): try Limit.text(text, 1...1_000, "error")
    }
  }
}

extension PushReceived {
  func validate() throws(ModelError) {
    try Limit.text(id, 1...64, "push")
    try Limit.text(category, 0...200, "category")
    try Limit.text(thread, 0...200, "thread")
    try Limit.count(content.count, 0...Self.maxContentBytes, "content: bytes")
    try Limit.instant(at, "at")
  }
}

extension ImportFinished {
  func validate() throws(ModelError) {
    try Limit.text(source, 1...200, "source")
    try Limit.count(
      fileHash.count, Self.hashByteCount...Self.hashByteCount, "fileHash: bytes")
    try Limit.count(counts.count, 0...32, "counts: names")
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
      try Limit.text(name, 1...64, "counts: name")
      guard (0...1_000_000_000_000).contains(count) else {
        throw .invalid("counts: \(name)", "\(count) is out of range; from 0 to 10^12 is allowed")
      }
    }
  }
}
