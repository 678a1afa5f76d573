import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire

extension FuzzTarget {
  static let syncTargets = [
    FuzzTarget(
      name: "sync-message", maxByteCount: 4_096, seeds: Messages.seeds, run: Messages.read),
    FuzzTarget(
      name: "sync-runs", maxByteCount: 4_096, seeds: Messages.runSeeds, run: Messages.readRuns),
    FuzzTarget(
      name: "sync-responder", maxByteCount: 4_096, seeds: Sessions.responderSeeds,
      run: Sessions.answer),
    FuzzTarget(
      name: "sync-initiator", maxByteCount: 4_096, seeds: Sessions.initiatorSeeds,
      run: Sessions.lead),
    FuzzTarget(name: "inflate", maxByteCount: 4_096, seeds: Inflate.seeds, run: Inflate.read),
  ]
}

/// The messages of a sync, and the runs in them.
private enum Messages {
  /// Bytes to a message: a written message reads back equal.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    guard let message = try? SyncMessage(bytes: [UInt8](bytes)) else { return }
    hold(
      try SyncMessage(bytes: message.encoded()) == message,
      "a message reads back equal: \(message)")
  }

  /// Bytes to runs.
  static func readRuns(_ bytes: UnsafeRawBufferPointer) throws {
    let dictionary = dictionary
    guard
      let runs = try? SyncRun.decode(
        [UInt8](bytes), dictionary: dictionary, maxPayloadBytes: maxPayloadBytes)
    else { return }
    for dictionary in [nil, IdentifierTable(), dictionary] {
      let encoded = SyncRun.encode(runs, dictionary: dictionary)
      let read = try SyncRun.decode(
        encoded, dictionary: dictionary ?? IdentifierTable(), maxPayloadBytes: maxPayloadBytes)
      hold(read == runs, "runs read back equal")
    }
  }

  /// The messages of the transcripts, as they were sent and with inflated events.
  static func seeds() throws -> [[UInt8]] {
    let messages = try Vectors.list("transcripts", in: "sync.json").flatMap { $0.list("messages") }
    return messages.flatMap { [$0.bytes("bytes"), $0.bytes("stored")].compactMap(\.self) }
  }

  static func runSeeds() throws -> [[UInt8]] {
    let named = SyncRun.encode([run], dictionary: dictionary)
    return try [named]
      + seeds().compactMap { bytes in
        guard case .stored(let runs) = try? SyncMessage(bytes: bytes).events else { return nil }
        return runs
      }
  }

  /// The most bytes of payloads that short ones of one input restore.
  private static let maxPayloadBytes = 65_536

  /// A run whose payloads have identifiers of the dictionary, and others.
  private static let run: SyncRun = {
    var run = SyncRun(replica: .prefix(1), firstSequence: 2, previousSuffix: 1)
    for identifier in [1, 2, 1, 3, 3] as [UInt8] {
      let payload = [0x0A, 16] + Array(repeating: identifier, count: 16) + [0x10, identifier]
      run.milliseconds.append(1)
      run.counters.append(0)
      run.lengths.append(UInt32(payload.count))
      run.payloads += payload
    }
    return run
  }()

  private static let dictionary: IdentifierTable = {
    var table = IdentifierTable()
    for identifier in [7, 2, 8] as [UInt8] {
      ([0x0A, 16] + Array(repeating: identifier, count: 16)).withUnsafeBytes {
        table.add(payload: $0)
      }
    }
    return table
  }()
}

/// Both sides of a session, with messages that no honest peer sends.
///
/// An input is a list of messages: for each one its length in two bytes, big-endian, and its bytes.
/// The last message may be cut off.
private enum Sessions {
  /// Two logs of one store, with new events on both sides and a fork.
  private struct Sides {
    let left: InMemoryEventLog
    let right: InMemoryEventLog
  }

  private static let noon = Instant(milliseconds: 1_790_000_000_000)
  private static let sides = Result { try makeSides() }

  /// The responder: it answers every message readably and within the limit, and can sync with an
  /// honest peer afterwards.
  static func answer(_ bytes: UnsafeRawBufferPointer) throws {
    let messages = messages(bytes)
    let log = try sides.get().left.copy(isNoticed: false)
    let honest = try sides.get().right.copy(isNoticed: false)
    try waiting {
      let before = try log.lastPosition()
      for message in messages {
        let answer = try await SyncSimulation.answer(to: message, of: log, wallClock: noon)
        hold(answer.count <= SyncMessage.defaultLimit, "an answer is within the limit")
        _ = try SyncMessage(bytes: answer)
      }
      guard try log.lastPosition() > before else { return }
      var simulation = try SyncSimulation(
        initiator: honest, responder: log, wallClock: noon, seed: 1)
      hold(try await simulation.run() != nil, "an honest sync ends")
      let heads = try VersionVector(branches: log.branches())
      hold(
        try VersionVector(branches: honest.branches()) == heads,
        "an honest sync makes both logs equal")
    }
  }

  /// The initiator: it ends with an error or continues, and its log never fails.
  static func lead(_ bytes: UnsafeRawBufferPointer) throws {
    let messages = messages(bytes)
    let log = try sides.get().left.copy(isNoticed: false)
    try waiting {
      var rest = messages[...]
      do {
        let initiator = SyncSimulation.leading(log, wallClock: noon)
        try await initiator.run(answers: messages.count) { rest.popFirst() ?? [] }
      } catch let error as SyncError {
        hold(error.code != .log, "the log accepts every run that the session accepts: \(error)")
      }
    }
  }

  private static func messages(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    var rest = [UInt8](bytes)[...]
    var messages: [[UInt8]] = []
    while rest.count >= 2 {
      let count = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
      messages.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return messages
  }

  // MARK: - Seeds

  static func responderSeeds() throws -> [[UInt8]] { try seeds(toResponder: true) }

  static func initiatorSeeds() throws -> [[UInt8]] { try seeds(toResponder: false) }

  /// The messages of an honest peer: all together, and each one alone.
  private static func seeds(toResponder: Bool) throws -> [[UInt8]] {
    let (left, right) = (try sides.get().left, try sides.get().right)
    let transcript = try waiting {
      var simulation = try SyncSimulation(
        initiator: toResponder ? right.copy(isNoticed: false) : left.copy(isNoticed: false),
        responder: toResponder ? left.copy(isNoticed: false) : right.copy(isNoticed: false),
        wallClock: noon, seed: 1)
      _ = try await simulation.run()
      return simulation.transcript.filter { $0.toResponder == toResponder }.map(\.bytes)
    }
    let framed = transcript.map { UInt16($0.count).bigEndianBytes + $0 }
    return [framed.flatMap(\.self)] + framed
  }

  private static func makeSides() throws -> Sides {
    var trunk = EventHistory(ReplicaID(high: 1 << 32, low: 1))
    var other = EventHistory(ReplicaID(high: 2 << 32, low: 2))
    let shared = trunk.run(count: 12)
    var twig = trunk
    return Sides(
      left: try log(3, [shared, trunk.run(count: 4, text: "trunk")]),
      right: try log(4, [shared, twig.run(count: 3, text: "twig"), other.run(count: 5)]))
  }

  private static func log(_ number: UInt64, _ runs: [EventRun]) throws -> InMemoryEventLog {
    let log = InMemoryEventLog(
      storeID: StoreID(high: 0x0102_0304_0506_0708, low: 1),
      replica: ReplicaID(high: number << 32, low: number))
    try waiting {
      _ = try await log.append(runs, wallClock: noon)
      let events = (0..<3).map { NewEvent(payload: Array("own \($0)".utf8)) }
      _ = try await log.record(events, wallClock: noon, expecting: nil)
    }
    return log
  }
}

/// Deflate streams.
private enum Inflate {
  /// The maximum inflated size of a message of the default size.
  private static let limit = 480_000

  /// Bytes inflated within the limit: deflated bytes inflate to the same bytes.
  static func read(_ bytes: UnsafeRawBufferPointer) {
    guard let inflated = Deflate.inflated([UInt8](bytes), limit: limit) else { return }
    hold(inflated.count <= limit, "inflated bytes are within the limit")
    guard let deflated = Deflate.deflated(inflated, level: 6) else { return }
    hold(
      Deflate.inflated(deflated, limit: limit) == inflated,
      "deflated bytes inflate to the same bytes")
  }

  static func seeds() throws -> [[UInt8]] {
    let text = try Vectors.file("tools/samples/habits.ndjson")
    return [text, [UInt8](repeating: 0, count: limit), [UInt8](repeating: 0, count: limit + 1)]
      .flatMap { bytes in [1, 6, 9].compactMap { Deflate.deflated(bytes, level: $0) } }
  }
}
