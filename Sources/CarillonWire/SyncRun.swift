package import CarillonModel
internal import Foundation
internal import SwiftProtobuf

/// Events that follow one another on one branch, as columns and without their IDs.
package struct SyncRun: Hashable, Sendable {
  package var replica: ReplicaReference
  /// 1 to ``SyncMessage/maxSequence``.
  package var firstSequence: UInt64
  /// The last 8 bytes of the ID before the first; 0 where there is none.
  package var previousSuffix: UInt64
  /// Milliseconds since the event before; where there is none, since 1970.
  package var milliseconds: [UInt64] = []
  /// The low 16 bits of the timestamps.
  package var counters: [UInt32] = []
  /// Bytes of each payload, 1 to 16,384; 0 where it was erased, or is missing.
  package var lengths: [UInt32] = []
  /// What is left of each payload that was erased, in order.
  package var redacted: [RedactedContent] = []
  /// The events of which there is only the ID: their places in the run, ascending, and the IDs.
  package var missing: [Missing] = []
  /// All payloads, one behind the other.
  package var payloads: [UInt8] = []
  /// The last 8 bytes of the last event's ID.
  package var lastSuffix: UInt64 = 0

  package init(replica: ReplicaReference, firstSequence: UInt64, previousSuffix: UInt64) {
    self.replica = replica
    self.firstSequence = firstSequence
    self.previousSuffix = previousSuffix
  }

  /// An event of which there is only the ID.
  package struct Missing: Hashable, Sendable {
    /// From 0.
    package let place: Int
    package let id: EventID

    package init(place: Int, id: EventID) {
      self.place = place
      self.id = id
    }
  }

  /// How many events.
  package var count: Int { lengths.count }

  /// The sequence of the last event; the run must not be empty.
  package var lastSequence: UInt64 { firstSequence + UInt64(count) - 1 }

  /// What the run ends with.
  package var end: SyncPoint {
    SyncPoint(prefix: replica.prefix, sequence: lastSequence, suffix: lastSuffix)
  }

  /// An upper bound of what an event of a payload takes in a message.
  package static func maxBytes(ofPayload count: Int) -> Int {
    count > 0 ? count + 16 : 16 + 2 * EventID.byteCount + 8
  }
  /// An upper bound of what a run takes in a message beside its events.
  package static let maxOverhead = 80
}

// MARK: - Coding

extension SyncRun {
  /// The runs as bytes, before deflate.
  package static func encode(_ runs: [SyncRun]) -> [UInt8] {
    var wire = Carillon_V1_Events()
    wire.runs = runs.map { run in
      var wire = Carillon_V1_Run()
      wire.replica = Data(run.replica.bytes)
      wire.firstSequence = run.firstSequence
      wire.previousSuffix = run.previousSuffix
      wire.milliseconds = run.milliseconds
      wire.counters = run.counters.allSatisfy { $0 == 0 } ? [] : run.counters
      wire.lengths = run.lengths
      wire.payloads = Data(run.payloads)
      wire.lastSuffix = run.lastSuffix
      run.encodeRedacted(into: &wire)
      wire.missingPlaces = run.missing.map { UInt32(clamping: $0.place) }
      wire.missingIds = Data(run.missing.flatMap(\.id.bytes))
      return wire
    }
    return serialize(wire)
  }

  /// Reads runs.
  ///
  /// Every count is checked against the bytes that are there.
  ///
  /// - Throws: `malformed`, naming the run.
  package static func decode(_ bytes: [UInt8]) throws(ModelError) -> [SyncRun] {
    let wire: Carillon_V1_Events = try parse(bytes, as: "events")
    guard wire.runs.count <= SyncMessage.maxRuns else {
      throw .malformed("sync events: \(wire.runs.count) runs; the most is \(SyncMessage.maxRuns)")
    }
    let count = wire.runs.reduce(0) { $0 + $1.lengths.count }
    guard count <= SyncMessage.maxEvents else {
      throw .malformed("sync events: \(count); the most is \(SyncMessage.maxEvents)")
    }
    var runs: [SyncRun] = []
    for (index, run) in wire.runs.enumerated() {
      runs.append(try SyncRun(run, index: index))
    }
    return runs
  }

  private init(_ wire: Carillon_V1_Run, index: Int) throws(ModelError) {
    func malformed(_ problem: String) -> ModelError { .malformed("sync run \(index): \(problem)") }
    let count = wire.lengths.count
    guard count > 0, wire.milliseconds.count == count, [0, count].contains(wire.counters.count)
    else { throw malformed("columns of different length, or no events") }
    guard wire.lengths.allSatisfy({ $0 <= UInt32(Event.maxPayloadBytes) }) else {
      throw malformed("a payload over \(Event.maxPayloadBytes) bytes")
    }
    guard wire.lengths.reduce(0, { $0 + Int($1) }) == wire.payloads.count else {
      throw malformed("\(wire.payloads.count) bytes of payloads are not what their lengths say")
    }
    guard wire.counters.allSatisfy({ $0 <= 0xFFFF }) else {
      throw malformed("a counter over 65,535")
    }
    let greatest = SyncMessage.maxSequence - UInt64(count)
    guard (1...greatest).contains(wire.firstSequence) else {
      throw malformed("sequence \(wire.firstSequence) is outside 1...2^53")
    }
    try self.init(
      replica: ReplicaReference(bytes: wire.replica), firstSequence: wire.firstSequence,
      previousSuffix: wire.previousSuffix)
    milliseconds = wire.milliseconds
    counters = wire.counters.isEmpty ? Array(repeating: 0, count: count) : wire.counters
    lengths = wire.lengths
    payloads = [UInt8](wire.payloads)
    lastSuffix = wire.lastSuffix
    guard let missing = Self.missing(wire) else {
      throw malformed("missing events without an ID, out of order, or at the end")
    }
    self.missing = missing
    guard let redacted = Self.redacted(wire),
      redacted.count == lengths.count(where: { $0 == 0 }) - missing.count
    else { throw malformed("what stands for erased payloads is not as many as there are") }
    self.redacted = redacted
  }
}
