package import CarillonModel
internal import Foundation
internal import SwiftProtobuf

/// Consecutive events of one branch, as columns and without their IDs.
package struct SyncRun: Hashable, Sendable {
  package var replica: ReplicaReference
  /// The sequence of the first event, from 1 to ``SyncMessage/maxSequence``.
  package var firstSequence: UInt64
  /// The ID suffix of the event before the first; 0 if there is none.
  package var previousSuffix: UInt64
  /// The milliseconds since the previous event, or since 1970 for the first event of a replica.
  package var milliseconds: [UInt64] = []
  /// The lower 16 bits of each timestamp.
  package var counters: [UInt32] = []
  /// The bytes of each payload, 1 to 16,384; 0 if it was erased or is missing.
  package var lengths: [UInt32] = []
  /// The redacted contents, in order.
  package var redacted: [RedactedContent] = []
  /// The events that are IDs alone, by ascending place.
  package var missing: [Missing] = []
  /// All payloads, concatenated.
  package var payloads: [UInt8] = []
  /// The ID suffix of the last event.
  package var lastSuffix: UInt64 = 0

  package init(replica: ReplicaReference, firstSequence: UInt64, previousSuffix: UInt64) {
    self.replica = replica
    self.firstSequence = firstSequence
    self.previousSuffix = previousSuffix
  }

  /// An event that is sent as its ID alone.
  package struct Missing: Hashable, Sendable {
    /// The index of the event in the run, from 0.
    package let place: Int
    package let id: EventID

    package init(place: Int, id: EventID) {
      self.place = place
      self.id = id
    }
  }

  /// The number of events.
  package var count: Int { lengths.count }

  /// The sequence of the last event; the run must not be empty.
  package var lastSequence: UInt64 { firstSequence + UInt64(count) - 1 }

  /// The point of the last event.
  package var end: SyncPoint {
    SyncPoint(prefix: replica.prefix, sequence: lastSequence, suffix: lastSuffix)
  }

  /// Returns an upper bound of the bytes that an event with a payload of this size takes.
  package static func maxBytes(ofPayload count: Int) -> Int {
    count > 0 ? count + 16 : 16 + 2 * EventID.byteCount + 8
  }
  /// An upper bound of the bytes that a run takes in addition to its events.
  package static let maxOverhead = 80
}

// MARK: - Coding

extension SyncRun {
  /// Encodes runs, before any compression.
  ///
  /// - Parameter dictionary: The table whose identifiers are sent by number, possibly empty; nil to
  ///   send payloads as they are, as in version 1.
  package static func encode(
    _ runs: [SyncRun], dictionary: IdentifierTable? = nil
  ) -> [UInt8] {
    var wire = Carillon_V1_Events()
    var shortener = dictionary.map(PayloadShortener.init)
    wire.runs = runs.map { run in
      var wire = Carillon_V1_Run()
      wire.replica = Data(run.replica.bytes)
      wire.firstSequence = run.firstSequence
      wire.previousSuffix = run.previousSuffix
      wire.milliseconds = run.milliseconds
      wire.counters = run.counters.allSatisfy { $0 == 0 } ? [] : run.counters
      wire.lengths = run.lengths
      if shortener == nil {
        wire.payloads = Data(run.payloads)
      } else {
        shortener?.encode(run, into: &wire)
      }
      wire.lastSuffix = run.lastSuffix
      run.encodeRedacted(into: &wire)
      wire.missingPlaces = run.missing.map { UInt32(clamping: $0.place) }
      wire.missingIds = Data(run.missing.flatMap(\.id.bytes))
      return wire
    }
    wire.identifiers = shortener?.identifiers ?? Data()
    return serialize(wire)
  }

  /// Decodes runs.
  ///
  /// Every count is checked against the actual bytes.
  ///
  /// - Parameters:
  ///   - dictionary: The table whose identifiers were sent by number.
  ///   - maxPayloadBytes: The most bytes of all payloads, with their identifiers. By default the
  ///     number of `bytes`, which payloads that are sent as they are cannot exceed.
  /// - Throws: `malformed`, naming the run.
  package static func decode(
    _ bytes: [UInt8], dictionary: IdentifierTable = IdentifierTable(),
    maxPayloadBytes: Int? = nil
  ) throws(ModelError) -> [SyncRun] {
    let wire: Carillon_V1_Events = try parse(bytes, as: "events")
    guard wire.runs.count <= SyncMessage.maxRuns else {
      throw .malformed(
        "sync events: \(wire.runs.count) runs; at most \(SyncMessage.maxRuns) are allowed")
    }
    let count = wire.runs.reduce(0) { $0 + $1.lengths.count }
    guard count <= SyncMessage.maxEvents else {
      throw .malformed("sync events: \(count); at most \(SyncMessage.maxEvents) are allowed")
    }
    let size = wire.runs.reduce(0) { $1.lengths.reduce($0) { $0 + Int($1) } }
    let limit = maxPayloadBytes ?? bytes.count
    guard size <= limit else {
      throw .malformed("sync events: \(size) bytes of payloads; the limit is \(limit)")
    }
    var restorer = PayloadRestorer(dictionary, identifiers: wire.identifiers)
    var runs: [SyncRun] = []
    for (index, run) in wire.runs.enumerated() {
      runs.append(try SyncRun(run, index: index, restorer: &restorer))
    }
    guard restorer.isComplete else {
      throw .malformed("sync events: identifiers that no run uses")
    }
    return runs
  }

  private init(
    _ wire: Carillon_V1_Run, index: Int, restorer: inout PayloadRestorer
  ) throws(ModelError) {
    func malformed(_ problem: String) -> ModelError { .malformed("sync run \(index): \(problem)") }
    let count = wire.lengths.count
    guard count > 0, wire.milliseconds.count == count, [0, count].contains(wire.counters.count)
    else { throw malformed("no events, or columns of different lengths") }
    guard wire.lengths.allSatisfy({ $0 <= UInt32(StoredEvent.maxPayloadBytes) }) else {
      throw malformed("a payload of more than \(StoredEvent.maxPayloadBytes) bytes")
    }
    let isShort = !wire.shortPayloads.isEmpty || !wire.identifiers.isEmpty
    guard let payloads = isShort ? restorer.payloads(of: wire) : [UInt8](wire.payloads),
      wire.lengths.reduce(0, { $0 + Int($1) }) == payloads.count, !isShort || wire.payloads.isEmpty
    else {
      throw malformed("the payloads do not match their lengths, or name an unknown identifier")
    }
    guard wire.counters.allSatisfy({ $0 <= 0xFFFF }) else {
      throw malformed("a counter above 65,535")
    }
    let greatest = SyncMessage.maxSequence - UInt64(count)
    guard (1...greatest).contains(wire.firstSequence) else {
      throw malformed("sequence \(wire.firstSequence) is not in 1...2^53")
    }
    try self.init(
      replica: ReplicaReference(bytes: wire.replica), firstSequence: wire.firstSequence,
      previousSuffix: wire.previousSuffix)
    milliseconds = wire.milliseconds
    counters = wire.counters.isEmpty ? Array(repeating: 0, count: count) : wire.counters
    lengths = wire.lengths
    self.payloads = payloads
    lastSuffix = wire.lastSuffix
    guard let missing = Self.missing(wire) else {
      throw malformed("a missing event has no ID, is out of order, or is the last event")
    }
    self.missing = missing
    guard let redacted = Self.redacted(wire),
      redacted.count == lengths.count(where: { $0 == 0 }) - missing.count
    else { throw malformed("the number of erased payloads does not match their lengths") }
    self.redacted = redacted
  }
}
