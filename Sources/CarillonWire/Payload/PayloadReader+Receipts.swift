internal import CarillonModel

/// What was fetched, what was shown, and what the person answered.
extension PayloadReader {
  static func itemObserved(_ bytes: Bytes) throws(ModelError) -> ItemObserved {
    var source = ""
    var items: [ItemObserved.Item] = []
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): source = try field.text("source")
      case (2, .bytes): items.append(try observedItem(field.bytes))
      default: break
      }
    }
    return ItemObserved(source: source, items: items)
  }

  private static func observedItem(_ bytes: Bytes) throws(ModelError) -> ItemObserved.Item {
    var item = ItemObserved.Item(item: "")
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): item.item = try field.text("item")
      case (2, .bytes): item.revision = try field.text("revision")
      case (3, .bytes): item.title = try field.text("title")
      default: break
      }
    }
    return item
  }

  static func receiptAdvanced(_ bytes: Bytes) throws(ModelError) -> ReceiptAdvanced {
    var subject = SubjectParts()
    var revision = ReceiptSubject.firstRevision
    var state = 0
    var times: (at: Instant?, fireAt: Instant?) = (nil, nil)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1...3, .bytes): try subject.add(field)
      case (4, .bytes): revision = try field.text("revision")
      case (5, .varint): state = field.enumerationNumber
      case (6, .varint): times.at = Instant(milliseconds: field.int64)
      case (7, .varint): times.fireAt = Instant(milliseconds: field.int64)
      default: break
      }
    }
    return ReceiptAdvanced(
      subject: try subject.subject(), revision: revision, state: try named(state, "state"),
      at: times.at, fireAt: times.fireAt)
  }

  static func responseRecorded(_ bytes: Bytes) throws(ModelError) -> ResponseRecorded {
    var subject = SubjectParts()
    var revision = ReceiptSubject.firstRevision
    var action = ""
    var text: String?
    var at: Instant?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1...3, .bytes): try subject.add(field)
      case (4, .bytes): revision = try field.text("revision")
      case (5, .bytes): action = try field.text("action")
      case (6, .bytes): text = try field.text("text")
      case (7, .varint): at = Instant(milliseconds: field.int64)
      default: break
      }
    }
    return ResponseRecorded(
      subject: try subject.subject(), revision: revision, action: action, text: text, at: at)
  }
}

/// What was read of a subject so far: one of three messages, whose numbers are those of its field.
private struct SubjectParts {
  private var message: (number: UInt32, bytes: [UInt8])?

  /// Takes a subject.
  ///
  /// One that is repeated is merged, as messages are; another one replaces it.
  ///
  /// - Throws: `malformed` where the one that is replaced is no message.
  mutating func add(_ field: WireField) throws(ModelError) {
    guard let message else { return message = (field.number, [UInt8](field.bytes)) }
    if message.number == field.number {
      self.message = (field.number, message.bytes + field.bytes)
    } else {
      try PayloadReader.requireMessage { () throws(ModelError) in _ = try subject() }
      self.message = (field.number, [UInt8](field.bytes))
    }
  }

  func subject() throws(ModelError) -> ReceiptSubject {
    let (number, bytes) = try message.required("subject")
    return try bytes.withUnsafeBufferPointer { bytes throws(ModelError) in
      let bytes = UnsafeRawBufferPointer(bytes)
      switch number {
      case 1: return try Self.occurrence(bytes)
      case 2: return try Self.item(bytes)
      default: return try Self.push(bytes)
      }
    }
  }

  private static func occurrence(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> ReceiptSubject {
    var habit: UnsafeRawBufferPointer?
    var slot: UnsafeRawBufferPointer?
    var date: CivilDate?
    var minute = 0
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): habit = field.bytes
      case (2, .bytes): slot = field.bytes
      case (3, .varint): date = field.date
      case (4, .varint): minute = field.integer
      default: break
      }
    }
    return .occurrence(
      habit: try PayloadReader.identifier(habit, "habit"),
      slot: try PayloadReader.identifier(slot, "slot"),
      nominal: CivilDateTime(
        date: try date.required("date"), time: try PayloadReader.time(minute)))
  }

  private static func item(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> ReceiptSubject {
    var (source, item) = ("", "")
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): source = try field.text("source")
      case (2, .bytes): item = try field.text("item")
      default: break
      }
    }
    return .item(source: source, item: item)
  }

  private static func push(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> ReceiptSubject {
    var id = ""
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      if field.number == 1, field.type == .bytes { id = try field.text("push") }
    }
    return .push(id: id)
  }
}
