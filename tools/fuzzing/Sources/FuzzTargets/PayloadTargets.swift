import CarillonModel
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import SwiftProtobuf

extension FuzzTarget {
  static let payloadTargets = [
    FuzzTarget(name: "payload", maxByteCount: 4_096, seeds: Payloads.seeds, run: Payloads.read),
    FuzzTarget(
      name: "payload-json", maxByteCount: 4_096, seeds: Payloads.jsonSeeds, run: Payloads.readJSON),
    FuzzTarget(
      name: "export-line", maxByteCount: 4_096, seeds: Payloads.lineSeeds, run: Payloads.readLine),
  ]
}

/// Payloads as bytes and as JSON, and complete events as lines of an export.
private enum Payloads {
  static let store = StoreID(high: 0x0102_0304_0506_0708, low: 1)

  /// Bytes to a payload: equal in meaning to the generated decoder's, and writable.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    guard let payload = try? PayloadCoding.decode(bytes) else { return }
    if case .unknown = payload { return }
    try compare(payload, with: bytes)
    hold(
      try PayloadCoding.decode(PayloadCoding.encode(payload)) == payload,
      "a payload reads back equal: \(payload)")
  }

  /// JSON to a payload: it can be written as JSON, and as bytes if these accept it, since they have
  /// their own limits.
  static func readJSON(_ bytes: UnsafeRawBufferPointer) throws {
    guard let payload = try? EventJSON.anyPayload(fromJSON: [UInt8](bytes)) else { return }
    let json = Array(EventJSON.object(payload).description.utf8)
    hold(
      try EventJSON.anyPayload(fromJSON: json) == payload,
      "a payload reads back equal from JSON: \(payload)")
    guard let written = try? PayloadCoding.encode(payload) else { return }
    hold(
      try PayloadCoding.decode(written) == payload,
      "a payload from JSON reads back equal from bytes: \(payload)")
  }

  /// A line of an export to an event, which can be exported again.
  static func readLine(_ bytes: UnsafeRawBufferPointer) throws {
    guard let event = try? EventJSON.event(fromJSON: [UInt8](bytes), of: store) else { return }
    let line = Array(exported(event).description.utf8)
    hold(
      try EventJSON.event(fromJSON: line, of: store) == event,
      "an exported event reads back equal: \(event)")
  }

  // MARK: - Parts

  /// Compares a payload with the generated decoder: the bytes that this writes must have the same
  /// meaning.
  ///
  /// Unknown fields are left out, since the generated encoder moves them; an unknown kind would
  /// change which kind is the last.
  private static func compare(_ payload: Payload, with bytes: UnsafeRawBufferPointer) throws {
    guard let whole = try? Carillon_V1_Payload(serializedBytes: [UInt8](bytes)),
      whole.unknownFields.data.isEmpty
    else { return }
    var options = BinaryDecodingOptions()
    options.discardUnknownFields = true
    let known = try Carillon_V1_Payload(serializedBytes: [UInt8](bytes), options: options)
    let rewritten: [UInt8] = try known.serializedBytes()
    if case .scheduleSet(let set) = payload, case .unknown = set.schedule.rule { return }
    hold(
      try PayloadCoding.decode(rewritten) == payload,
      "the generated decoder returns the same: \(payload), \(known)")
  }

  private static func exported(_ event: StoredEvent) -> JSONObject {
    EventJSON.object(
      event, payload: try? PayloadCoding.decode(event.payload), position: LogPosition(rawValue: 1),
      name: "phone", export: store)
  }

  // MARK: - Seeds

  private static func generated() throws -> [[UInt8]] {
    var generator = PayloadGenerator(SeededGenerator(seed: 1))
    return try (0..<200).map { _ in try generator.encode(generator.payload()) }
  }

  static func seeds() throws -> [[UInt8]] {
    try Vectors.list("events", in: "events.json").compactMap { $0.bytes("payload") } + generated()
  }

  static func jsonSeeds() throws -> [[UInt8]] {
    let payloads = try generated().compactMap { try? PayloadCoding.decode($0) }
    let samples = try Vectors.file("tools/samples/habits.ndjson")
      .split(separator: UInt8(ascii: "\n")).map(Array.init)
    let vectors = try Vectors.list("events", in: "events.json").compactMap { $0["json"] }
    return Vectors.texts(vectors.map(\.description) + payloads.map(json)) + samples
  }

  static func json(_ payload: Payload) -> String { EventJSON.object(payload).description }

  static func lineSeeds() throws -> [[UInt8]] {
    var history = EventHistory(ReplicaID(high: 1, low: 2))
    let run = history.run(try generated().prefix(40).map { $0 })
    let events = run.items.enumerated().map { index, item in
      StoredEvent(
        id: run.lastID, replica: run.replica,
        sequence: SequenceNumber(rawValue: UInt64(index) + 1), payload: item.payload)
    }
    return Vectors.texts(events.map { exported($0).description })
  }
}
