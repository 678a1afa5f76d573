internal import CarillonModel

/// What was fetched, shown and answered, and what happens in the background.
extension PayloadForm {
  /// One payload of each of these kinds, to be filled by reading.
  static let receiptBlanks: [Payload] = {
    let subject = ReceiptSubject.push(id: "")
    return [
      .itemObserved(ItemObserved(source: "", items: [])),
      .receiptAdvanced(ReceiptAdvanced(subject: subject, state: .submitted)),
      .responseRecorded(ResponseRecorded(subject: subject, action: "")),
      .wakeFinished(WakeFinished(reason: .fetch, result: .noData)),
      .pushTokenSet(PushTokenSet(environment: "", registration: .token([]))),
      .pushReceived(PushReceived(id: "", kind: .malformed, content: [])),
      .importFinished(ImportFinished(source: "", fileHash: [], counts: [:])),
    ]
  }()

  static func receiptFields(
    of payload: inout Payload, _ form: inout JSONForm
  ) throws(ModelError) {
    switch payload {
    case .itemObserved(var value):
      try itemObserved(&value, &form)
      payload = .itemObserved(value)
    case .receiptAdvanced(var value):
      try receiptAdvanced(&value, &form)
      payload = .receiptAdvanced(value)
    case .responseRecorded(var value):
      try responseRecorded(&value, &form)
      payload = .responseRecorded(value)
    case .wakeFinished(var value):
      try form.required("reason", &value.reason)
      try form.required("result", &value.result)
      try form.defaulted("newCount", &value.newCount, 0)
      payload = .wakeFinished(value)
    case .pushTokenSet(var value):
      try pushTokenSet(&value, &form)
      payload = .pushTokenSet(value)
    case .pushReceived(var value):
      try pushReceived(&value, &form)
      payload = .pushReceived(value)
    case .importFinished(var value):
      try importFinished(&value, &form)
      payload = .importFinished(value)
    default: try planningFields(of: &payload, &form)
    }
  }

  private static func itemObserved(
    _ observed: inout ItemObserved, _ form: inout JSONForm
  ) throws(ModelError) {
    try form.required("source", &observed.source)
    let blank = ItemObserved.Item(item: "")
    try form.nested("items", &observed.items, blank: blank) { item, form throws(ModelError) in
      try form.required("item", &item.item)
      try form.defaulted("revision", &item.revision, ReceiptSubject.firstRevision)
      try form.optional("title", &item.title)
    }
  }

  private static func receiptAdvanced(
    _ receipt: inout ReceiptAdvanced, _ form: inout JSONForm
  ) throws(ModelError) {
    try subject(&receipt.subject, &form)
    try form.defaulted("revision", &receipt.revision, ReceiptSubject.firstRevision)
    try form.required("state", &receipt.state)
    try form.optional("at", &receipt.at)
    try form.optional("fireAt", &receipt.fireAt)
  }

  private static func responseRecorded(
    _ response: inout ResponseRecorded, _ form: inout JSONForm
  ) throws(ModelError) {
    try subject(&response.subject, &form)
    try form.defaulted("revision", &response.revision, ReceiptSubject.firstRevision)
    try form.required("action", &response.action)
    try form.optional("text", &response.text)
    try form.optional("at", &response.at)
  }

  /// The fields that name a subject, beginning with which kind of subject it is.
  private static func subject(
    _ subject: inout ReceiptSubject, _ form: inout JSONForm
  ) throws(ModelError) {
    var name = SubjectName(subject)
    try form.required("subject", &name)
    switch name {
    case .occurrence:
      var (habit, slot) = (HabitID(high: 0, low: 0), SlotID(high: 0, low: 0))
      var (date, time) = (CivilDate(rawValue: 0), TimeOfDay.midnight)
      if case .occurrence(let ofHabit, let ofSlot, let nominal) = subject {
        (habit, slot, date, time) = (ofHabit, ofSlot, nominal.date, nominal.time)
      }
      try form.required("habit", &habit)
      try form.required("slot", &slot)
      try form.required("date", &date)
      try form.required("time", &time)
      subject = .occurrence(
        habit: habit, slot: slot, nominal: CivilDateTime(date: date, time: time))
    case .item:
      var (source, item) = ("", "")
      if case .item(let ofSource, let known) = subject { (source, item) = (ofSource, known) }
      try form.required("source", &source)
      try form.required("item", &item)
      subject = .item(source: source, item: item)
    case .push:
      var id = ""
      if case .push(let known) = subject { id = known }
      try form.required("push", &id)
      subject = .push(id: id)
    }
  }

  private static func pushTokenSet(
    _ set: inout PushTokenSet, _ form: inout JSONForm
  ) throws(ModelError) {
    try form.required("environment", &set.environment)
    var token: JSONHexadecimal?
    var error: String?
    switch set.registration {
    case .token(let bytes): token = JSONHexadecimal(bytes)
    case .failure(let text): error = text
    }
    try form.optional("token", &token)
    try form.optional("error", &error)
    switch (token, error) {
    case (let token?, nil): set.registration = .token(token.bytes)
    case (nil, let error?): set.registration = .failure(error)
    default: throw .invalid("token", "either token or error must be there")
    }
  }

  private static func pushReceived(
    _ push: inout PushReceived, _ form: inout JSONForm
  ) throws(ModelError) {
    try form.required("push", &push.id)
    try form.required("kind", &push.kind)
    try form.defaulted("collapses", &push.collapses, false)
    try form.optional("category", &push.category)
    try form.optional("thread", &push.thread)
    var content = JSONBytes(push.content)
    try form.required("content", &content)
    push.content = content.bytes
    try form.optional("at", &push.at)
  }

  private static func importFinished(
    _ finished: inout ImportFinished, _ form: inout JSONForm
  ) throws(ModelError) {
    try form.required("source", &finished.source)
    var hash = JSONHexadecimal(finished.fileHash)
    try form.required("fileHash", &hash)
    finished.fileHash = hash.bytes
    var counts = JSONCounts(counts: finished.counts)
    try form.required("counts", &counts)
    finished.counts = counts.counts
  }
}

/// How a subject's kind is written.
private enum SubjectName: String, JSONNamed {
  case occurrence, item, push

  init(_ subject: ReceiptSubject) {
    self =
      switch subject {
      case .occurrence: .occurrence
      case .item: .item
      case .push: .push
      }
  }
}

extension ReceiptState: JSONNamed {}
extension WakeFinished.Reason: JSONNamed {}
extension WakeFinished.Result: JSONNamed {}
extension PushReceived.Kind: JSONNamed {}

/// Bytes, in hexadecimal digits.
struct JSONHexadecimal: JSONConvertible {
  static var allowed: String { "hexadecimal digits, two a byte" }

  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var json: JSONValue { .text(bytes.hexadecimal) }

  init?(json: JSONValue) {
    guard case .text(let text) = json, let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.bytes = bytes
  }
}

/// Whole numbers by name, written by ascending name.
private struct JSONCounts: JSONConvertible {
  static var allowed: String { "an object of whole numbers" }

  let counts: [String: Int64]

  init(counts: [String: Int64]) {
    self.counts = counts
  }

  var json: JSONValue {
    var object = JSONObject()
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) { object[name] = count.json }
    return .object(object)
  }

  init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    var counts: [String: Int64] = [:]
    for member in object.members {
      guard let count = Int64(json: member.value) else { return nil }
      counts[member.name] = count
    }
    self.counts = counts
  }
}
