internal import CarillonModel

/// What happens while nobody looks: wakes, registrations, pushes and imports.
extension PayloadReader {
  static func wakeFinished(_ bytes: Bytes) throws(ModelError) -> WakeFinished {
    var (reason, result, newCount) = (0, 0, 0)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): reason = field.enumerationNumber
      case (2, .varint): result = field.enumerationNumber
      case (3, .varint): newCount = field.integer
      default: break
      }
    }
    return WakeFinished(
      reason: try named(reason, "reason"), result: try named(result, "result"),
      newCount: newCount)
  }

  static func pushTokenSet(_ bytes: Bytes) throws(ModelError) -> PushTokenSet {
    var environment = ""
    var registration: PushTokenSet.Registration?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): environment = try field.text("environment")
      case (2, .bytes): registration = .token([UInt8](field.bytes))
      case (3, .bytes): registration = .failure(try field.text("error"))
      default: break
      }
    }
    return PushTokenSet(
      environment: environment, registration: try registration.required("registration"))
  }

  static func pushReceived(_ bytes: Bytes) throws(ModelError) -> PushReceived {
    var kind = 0
    var push = PushReceived(id: "", kind: .malformed, content: [])
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): push.id = try field.text("push")
      case (2, .varint): kind = field.enumerationNumber
      case (3, .varint): push.collapses = field.bool
      case (4, .bytes): push.category = try field.text("category")
      case (5, .bytes): push.thread = try field.text("thread")
      case (6, .bytes): push.content = [UInt8](field.bytes)
      case (7, .varint): push.at = Instant(milliseconds: field.int64)
      default: break
      }
    }
    push.kind = try named(kind, "kind")
    return push
  }

  static func importFinished(_ bytes: Bytes) throws(ModelError) -> ImportFinished {
    var finished = ImportFinished(source: "", fileHash: [], counts: [:])
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): finished.source = try field.text("source")
      case (2, .bytes): finished.fileHash = [UInt8](field.bytes)
      case (3, .bytes): try addCount(field.bytes, to: &finished.counts)
      default: break
      }
    }
    return finished
  }

  private static func addCount(
    _ bytes: Bytes, to counts: inout [String: Int64]
  ) throws(ModelError) {
    var (name, count) = ("", Int64(0))
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): name = try field.text("counts: name")
      case (2, .varint): count = field.int64
      default: break
      }
    }
    counts[name] = count
  }
}
