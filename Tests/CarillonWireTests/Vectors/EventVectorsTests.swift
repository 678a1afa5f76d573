import CarillonWire
import Foundation
import Testing

@testable import CarillonModel

/// Compares the code with `protocol/vectors/events.json`.
///
/// `tools/verify-vectors` compares the same file with the rules, without any of our code.
@Suite("Event vectors")
struct EventVectorsTests {
  @Test("Every vector encodes byte for byte", arguments: try EventVector.all())
  func vector(_ vector: EventVector) throws {
    let digest = PayloadDigest(vector.payload)
    #expect(withUnsafeBytes(of: digest.words) { $0.hexadecimal } == vector.digest)
    let id = EventChain.id(
      sequence: vector.sequence, timestamp: vector.timestamp, previous: vector.previous,
      payload: digest)
    #expect(id == vector.id)
    #expect(id.timestamp == vector.timestamp)
    if vector.sequence == .first {
      #expect(EventChain.root(of: vector.replica) == vector.previous)
    }
  }

  @Test("Every payload matches its JSON", arguments: try EventVector.all())
  func payload(_ vector: EventVector) throws {
    guard let json = vector.json else {
      #expect(throws: ModelError.self) { try PayloadCoding.decode(vector.payload) }
      return
    }
    let payload = try PayloadCoding.decode(vector.payload)
    #expect(EventJSON.object(payload) == json)
    if case .unknown = payload { return }
    #expect(try EventJSON.anyPayload(fromJSON: Array(json.description.utf8)) == payload)
    #expect(try PayloadCoding.encode(payload) == vector.payload)
  }

  @Test("An event without its payload has the ID of its digest, and the expected JSON")
  func redacted() throws {
    let redacted = try EventVector.redacted()
    #expect(redacted.count == 2)
    for vector in redacted {
      let bytes = try #require([UInt8](hexadecimal: vector.text("payloadDigest")))
      let digest = bytes.withUnsafeBytes { PayloadDigest(loading: $0) }
      let event = StoredEvent(
        id: vector.id, replica: vector.replica, sequence: vector.sequence,
        redacted: RedactedContent(
          digest: digest, erasure: try #require(EventID(vector.text("erasure")))))
      #expect(
        EventChain.id(
          sequence: vector.sequence, timestamp: vector.timestamp, previous: vector.previous,
          payload: digest) == vector.id)
      let store = StoreID(high: 1, low: 2)
      let object = EventJSON.object(
        event, payload: nil, position: .start, name: "phone", export: store)
      for member in try #require(vector.json).members {
        #expect(object[member.name] == member.value)
      }
      #expect(object["payload"] == nil)
      #expect(try EventJSON.event(fromJSON: Array(object.description.utf8), of: store) == event)
    }
  }

  @Test("Every reading matches that of any protobuf library", arguments: try Reading.all())
  func reading(_ reading: Reading) throws {
    guard let json = reading.json else {
      let payload = try? PayloadCoding.decode(reading.payload)
      if case .unknown? = payload { return }
      #expect(payload == nil)
      return
    }
    let payload = try PayloadCoding.decode(reading.payload)
    #expect(EventJSON.object(payload) == json)
    #expect(try PayloadCoding.encode(payload) == reading.written)
    if case .branchesClosed(let closed) = payload {
      let closing = reading.payload.withUnsafeBytes { BranchesClosed(written: $0) }
      #expect(closing == (reading.payload == reading.written ? closed : nil))
    }
  }

  @Test("Every recorded entry has the expected ID", arguments: try EventVector.all())
  func entry(_ vector: EventVector) throws {
    guard case .entryRecorded(let entry)? = try? PayloadCoding.decode(vector.payload) else {
      #expect(vector.entry == nil)
      return
    }
    let id = entry.kind.entryID(habit: entry.habit, date: entry.date, event: vector.id)
    #expect(id == vector.entry)
  }
}

/// An event of the file.
struct EventVector: CustomTestStringConvertible, Sendable {
  let note: String
  let replica: ReplicaID
  let previous: EventID
  let sequence: SequenceNumber
  let timestamp: Timestamp
  let payload: [UInt8]
  let digest: String
  let id: EventID
  /// Nil if the payload cannot be read.
  let json: JSONObject?
  let entry: EntryID?

  var testDescription: String { note }

  /// Returns a text member of the JSON form.
  func text(_ name: String) throws -> String {
    guard case .text(let text)? = json?[name] else { throw ModelError.malformed("\(name)?") }
    return text
  }

  static func all() throws -> [EventVector] { try VectorFile.list("events").map(EventVector.init) }

  /// The events whose payloads were erased.
  static func redacted() throws -> [EventVector] {
    try VectorFile.list("redacted").map(EventVector.init)
  }

  private init(_ event: JSONObject) throws {
    func text(_ name: String) throws -> String { try VectorFile.text(name, of: event) }
    guard case .integer(let number)? = event["sequence"] else {
      throw ModelError.malformed("sequence?")
    }
    note = try text("note")
    replica = try #require(ReplicaID(text("replica")))
    previous = try #require(EventID(text("previous")))
    sequence = SequenceNumber(rawValue: UInt64(number))
    timestamp = Timestamp(rawValue: try #require(UInt64(text("timestamp"), radix: 16)))
    payload =
      try event["payload"].map { _ in
        try #require([UInt8](hexadecimal: text("payload")))
      } ?? []
    digest = try text("digest")
    id = try #require(EventID(text("id")))
    json = if case .object(let json)? = event["json"] { json } else { nil }
    entry = try event["entry"].flatMap { _ in try EntryID(text("entry")) }
  }
}

/// A payload that no Carillon writer produces, and the expected result of reading it.
struct Reading: CustomTestStringConvertible, Sendable {
  let note: String
  let payload: [UInt8]
  /// The same payload as Carillon encodes it; nil if it is unreadable.
  let written: [UInt8]?
  /// The JSON form; nil if the payload is unreadable.
  let json: JSONObject?

  var testDescription: String { note }

  static func all() throws -> [Reading] { try VectorFile.list("readings").map(Reading.init) }

  private init(_ reading: JSONObject) throws {
    note = try VectorFile.text("note", of: reading)
    payload = try #require([UInt8](hexadecimal: VectorFile.text("payload", of: reading)))
    json = if case .object(let json)? = reading["json"] { json } else { nil }
    written = try json.map { _ in
      try #require([UInt8](hexadecimal: VectorFile.text("written", of: reading)))
    }
  }
}

/// `protocol/vectors/events.json`.
private enum VectorFile {
  static func list(_ name: String) throws -> [JSONObject] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../protocol/vectors/events.json")
    let document = try JSONValue(parsing: [UInt8](Data(contentsOf: file)))
    guard case .object(let object) = document, case .array(let items)? = object[name] else {
      throw ModelError.malformed("events.json has no list \(name)")
    }
    return try items.map { item in
      guard case .object(let item) = item else {
        throw ModelError.malformed("events.json: an item of \(name) is not an object")
      }
      return item
    }
  }

  static func text(_ name: String, of object: JSONObject) throws -> String {
    guard case .text(let text)? = object[name] else { throw ModelError.malformed("\(name)?") }
    return text
  }
}
