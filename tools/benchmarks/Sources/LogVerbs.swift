import CarillonLMDB
import CarillonModel
import CarillonSQLiteLog
import CarillonTestSupport
import CarillonWire
import Foundation

/// The rows that measure only the log.
enum LogVerbs {
  /// `append DIRECTORY EVENTS BATCH PAYLOAD_BYTES [STORAGE [DURABILITY]]`: computes the digests and
  /// IDs of each batch while the previous one is committed.
  static func append(_ arguments: Arguments) async throws -> Measurement {
    let log = try makeLog(arguments, storage: 4)
    let (count, batch) = (try arguments.number(1), try arguments.number(2))
    let payloads = payloads(batch, byteCount: try arguments.number(3))
    let measurement = try await Measurement.timing(count) {
      var inFlight: [Task<Void, any Error>] = []
      for start in stride(from: 0, to: count, by: batch) {
        let events = payloads.prefix(count - start).map { NewEvent(payload: $0) }
        // While one batch is committed, the next has its IDs and waits.
        if inFlight.count == 2 { try await inFlight.removeFirst().value }
        inFlight.append(
          Task { _ = try await log.record(events, wallClock: Fixtures.now, expecting: nil) })
      }
      for task in inFlight { try await task.value }
    }
    await log.close()
    return measurement
  }

  /// `callers DIRECTORY CALLERS EVENTS`: each caller writes one event at a time.
  static func callers(_ arguments: Arguments) async throws -> Measurement {
    let log = try LMDBEventLog.create(
      at: arguments.directory(0), storeID: .random(), replica: .random())
    let (callers, count) = (try arguments.number(1), try arguments.number(2))
    let payloads = payloads(callers, byteCount: 200)
    let before = log.commitCount
    var measurement = try await Measurement.timing(count) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for payload in payloads {
          group.addTask {
            for _ in 0..<(count / callers) {
              _ = try await log.record(
                [NewEvent(payload: payload)], wallClock: Fixtures.now, expecting: nil)
            }
          }
        }
        try await group.waitForAll()
      }
    }
    measurement.details["commits"] = log.commitCount - before
    await log.close()
    return measurement
  }

  /// `bytes DIRECTORY EVENTS RUN PAYLOAD_BYTES [STORAGE]`: appends the histories of two replicas,
  /// in alternating runs.
  static func bytes(_ arguments: Arguments) async throws -> Measurement {
    let log = try makeLog(arguments, storage: 4)
    let (count, length) = (try arguments.number(1), try arguments.number(2))
    let payload = payloads(1, byteCount: try arguments.number(3))[0]
    var writers = Fixtures.identifiers(2, of: 3).map { RunWriter(replica: $0, payload: payload) }
    let perCommit = 1_000 / length
    for start in stride(from: 0, to: count / length, by: perCommit) {
      let runs = (start..<min(start + perCommit, count / length)).map {
        writers[$0 % 2].next(length)
      }
      _ = try await log.append(runs, wallClock: Fixtures.now)
    }
    await log.close()
    let name = log is SQLiteEventLog ? "log.sqlite" : "log/data.mdb"
    let file = try arguments.directory(0).appending(path: name)
    let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize
    return Measurement(count: count, details: ["bytes": size ?? 0])
  }

  /// `scan STORE [ROUNDS]`: reads every event from the log and decodes it.
  static func scan(_ arguments: Arguments) async throws -> Measurement {
    let log = try LMDBEventLog.open(at: arguments.directory(0))
    let rounds = arguments.count > 1 ? try arguments.number(1) : 1
    let count = Int(try log.lastPosition().rawValue)
    var decoded = 0
    var measurement = try await Measurement.timing(count * rounds) {
      for _ in 0..<rounds {
        try log.scan(after: .start) { event in
          if case .unknown = try PayloadCoding.decode(event.payload) { return true }
          decoded += 1
          return true
        }
      }
    }
    measurement.details["decoded"] = decoded
    await log.close()
    return measurement
  }

  /// `visit DIRECTORY [STORAGE]`: reads every event from the log without decoding it.
  static func visit(_ arguments: Arguments) async throws -> Measurement {
    let directory = try arguments.directory(0)
    let storage = try storage(arguments, 1)
    let log = try storage.open(at: directory, options: LogOptions())
    let count = Int(try log.lastPosition().rawValue)
    var byteCount = 0
    var measurement = try await Measurement.timing(count) {
      try log.scan(after: .start) { event in
        byteCount += event.payload.count
        return true
      }
    }
    measurement.details["bytes"] = byteCount
    await log.close()
    return measurement
  }

  /// `decode STORE`: decodes the same payloads from memory, where they are stored consecutively.
  static func decode(_ arguments: Arguments) async throws -> Measurement {
    let log = try LMDBEventLog.open(at: arguments.directory(0))
    var bytes: [UInt8] = []
    var ends: [Int] = []
    try log.scan(after: .start) { event in
      bytes.append(contentsOf: event.payload)
      ends.append(bytes.count)
      return true
    }
    await log.close()
    return try await Measurement.timing(ends.count) {
      try bytes.withUnsafeBytes { buffer in
        var start = 0
        for end in ends {
          _ = try PayloadCoding.decode(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
          start = end
        }
      }
    }
  }

  /// - Parameter storage: The index of the argument that names the storage.
  private static func makeLog(_ arguments: Arguments, storage: Int) throws -> any StoredLog {
    let making = try Self.storage(arguments, storage).make(
      at: arguments.directory(0), storeID: .random(), replica: .random(),
      options: options(arguments, storage + 1))
    try making.publish()
    return making.log
  }

  /// Returns options with the durability that an argument names: full, or a number of
  /// milliseconds; full if there is none.
  private static func options(_ arguments: Arguments, _ index: Int) throws -> LogOptions {
    var options = LogOptions()
    guard index < arguments.count, try arguments.text(index) != "full" else { return options }
    options.durability = .relaxed(within: .milliseconds(try arguments.number(index)))
    return options
  }

  /// Returns the storage that an argument names; LMDB if there is none.
  private static func storage(_ arguments: Arguments, _ index: Int) throws -> any LogStorage {
    guard index < arguments.count else { return LMDBLogStorage() }
    let storages: [any LogStorage] = [LMDBLogStorage(), SQLiteLogStorage()]
    let name = try arguments.text(index)
    guard let storage = storages.first(where: { $0.name == name }) else {
      throw UsageError(index: index, kind: "storage")
    }
    return storage
  }

  private static func payloads(_ count: Int, byteCount: Int) -> [[UInt8]] {
    var generator = SeededGenerator(seed: 7)
    return (0..<count).map { _ in
      (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
  }
}

/// Writes the history of one replica, run by run.
private struct RunWriter {
  let replica: ReplicaID
  let payload: [UInt8]
  private let digest: PayloadDigest
  private var previous: EventID
  private var sequence = SequenceNumber.first
  private var timestamp: Timestamp

  init(replica: ReplicaID, payload: [UInt8]) {
    self.replica = replica
    self.payload = payload
    digest = PayloadDigest(payload)
    previous = EventChain.root(of: replica)
    timestamp = Timestamp(milliseconds: Fixtures.now.milliseconds)
  }

  mutating func next(_ count: Int) -> EventRun {
    let (first, before) = (sequence, previous)
    let items = (0..<count).map { _ in
      timestamp = Timestamp(rawValue: timestamp.rawValue + 1)
      previous = EventChain.id(
        sequence: sequence, timestamp: timestamp, previous: previous, payload: digest)
      sequence = sequence.next
      return EventRun.Item(timestamp: timestamp, payload: payload)
    }
    return EventRun(
      replica: replica, firstSequence: first, previous: before, items: items, lastID: previous)
  }
}
