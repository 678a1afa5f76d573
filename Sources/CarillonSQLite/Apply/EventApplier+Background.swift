internal import CarillonModel

/// Applies wakes, registrations, pushes and imports.
extension EventApplier {
  func apply(_ wake: WakeFinished, _ event: RawEvent) throws {
    try insert(
      .wake, event.replica, wake.reason.rawValue, event.id, wake.result.rawValue, wake.newCount)
  }

  func apply(_ set: PushTokenSet, _ event: RawEvent) throws {
    var (token, failure): ([UInt8]?, String?)
    switch set.registration {
    case .token(let bytes): token = bytes
    case .failure(let text): failure = text
    }
    try insert(.pushToken, event.replica, set.environment, event.id, token, failure)
  }

  func apply(_ push: PushReceived, _ event: RawEvent) throws {
    try insert(
      .push, push.id, event.id, event.replica, push.kind.rawValue, push.collapses, push.category,
      push.thread, push.revision, push.at ?? event.instant)
  }

  func apply(_ finished: ImportFinished, _ event: RawEvent) throws {
    try insert(.importFile, finished.fileHash, event.id, event.payload)
  }
}
