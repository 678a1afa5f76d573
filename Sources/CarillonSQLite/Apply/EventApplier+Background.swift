internal import CarillonModel

/// Wakes, registrations, pushes and imports.
extension EventApplier {
  func apply(_ wake: WakeFinished, _ event: RawEvent) throws {
    let statement = try statement(.wake)
    statement.bind(1, event.replica)
    statement.bind(2, wake.reason.rawValue)
    statement.bind(3, event.id)
    statement.bind(4, wake.result.rawValue)
    statement.bind(5, Int64(wake.newCount))
    try statement.run()
  }

  func apply(_ set: PushTokenSet, _ event: RawEvent) throws {
    let statement = try statement(.pushToken)
    statement.bind(1, event.replica)
    statement.bind(2, set.environment)
    statement.bind(3, event.id)
    switch set.registration {
    case .token(let bytes):
      statement.bindNull(5)
      try bytes.withUnsafeBytes {
        statement.bind(4, unowned: $0)
        try statement.run()
      }
    case .failure(let text):
      statement.bindNull(4)
      statement.bind(5, text)
      try statement.run()
    }
  }

  func apply(_ push: PushReceived, _ event: RawEvent) throws {
    let statement = try statement(.push)
    statement.bind(1, push.id)
    statement.bind(2, event.id)
    statement.bind(3, event.replica)
    statement.bind(4, push.kind.rawValue)
    statement.bind(5, push.collapses ? 1 : 0)
    statement.bind(6, push.category)
    statement.bind(7, push.thread)
    statement.bind(8, push.revision)
    statement.bind(9, (push.at ?? event.instant).milliseconds)
    try statement.run()
  }

  func apply(_ finished: ImportFinished, _ event: RawEvent) throws {
    let statement = try statement(.importFile)
    try finished.fileHash.withUnsafeBytes {
      statement.bind(1, unowned: $0)
      statement.bind(2, event.id)
      statement.bind(3, unowned: event.payload)
      try statement.run()
    }
  }
}
