public import CarillonModel

/// The conformance suite of the port ``EventLog``: the rules that every adapter must keep.
///
/// Run it from a test target, for example as the arguments of one test:
///
/// ```swift
/// @Test(arguments: EventLogConformance.checks)
/// func conforms(_ check: EventLogConformance.Check) async throws {
///   try await check.run { try makeLog($0, $1) }
/// }
/// ```
public enum EventLogConformance {
  /// Creates an empty log of an adapter, for a store and with a replica ID.
  public typealias Factory = @Sendable (StoreID, ReplicaID) throws -> any EventLog

  /// A rule that an adapter must keep.
  public struct Check: Sendable, CustomStringConvertible {
    /// The rule, as a sentence.
    public let description: String
    private let body: @Sendable (EventLogProbe) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (EventLogProbe) async throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Runs the check on a new log.
    ///
    /// - Throws: ``ConformanceFailure`` if the adapter breaks the rule; otherwise the adapter's
    ///   errors.
    public func run(on makeLog: Factory) async throws {
      let store = StoreID(high: 1, low: 1)
      let replica = ReplicaID(high: 0x0A, low: 1)
      let probe = EventLogProbe(log: try makeLog(store, replica), store: store, replica: replica)
      try await body(probe)
      await probe.log.close()
    }
  }

  /// All checks.
  public static let checks: [Check] =
    recording + clock + deciding + appending + erasing + erasureLists + erasureSearch + missing
    + closing + identities + reading + life
}

/// The difference between an adapter's behaviour and a rule of the port.
public struct ConformanceFailure: Error, CustomStringConvertible {
  /// What was expected, and what was seen instead.
  public let description: String
}

/// A new log under test, with the operations that most checks need.
struct EventLogProbe: Sendable {
  let log: any EventLog
  let store: StoreID
  let replica: ReplicaID

  /// Noon of an arbitrary day.
  static let noon = Instant(milliseconds: 1_790_000_000_000)

  /// Returns an empty history of another replica.
  func history(_ number: UInt64 = 1) -> EventHistory {
    EventHistory(ReplicaID(high: 0x0F, low: number))
  }

  /// Records small events at noon.
  @discardableResult
  func record(_ texts: String...) async throws -> Recorded {
    let events = texts.map { NewEvent(payload: Array($0.utf8)) }
    return try require(
      recorded(try await log.record(events, wallClock: Self.noon, expecting: nil)), "no refusal")
  }

  func recorded(_ outcome: RecordOutcome) -> Recorded? {
    guard case .recorded(let recorded) = outcome else { return nil }
    return recorded
  }

  /// Appends one run and returns its outcome.
  func append(
    _ run: EventRun, erasures: (any HeldErasures)? = nil
  ) async throws -> AppendOutcome {
    let outcomes = try await log.append([run], wallClock: Self.noon, erasures: erasures)
    return try require(outcomes.first, "an outcome a run")
  }

  /// All events, by position.
  func events() throws -> [StoredEvent] {
    var events: [StoredEvent] = []
    try log.scan(after: .start) { event in
      events.append(event.event)
      return true
    }
    return events
  }

  /// The payloads as text, by position.
  func texts() throws -> [String] {
    try events().map { String(decoding: $0.payload, as: UTF8.self) }
  }
}

/// - Throws: ``ConformanceFailure`` if the condition is false.
func expect(_ condition: Bool, _ what: String) throws {
  guard condition else { throw ConformanceFailure(description: "expected: \(what)") }
}

/// - Throws: ``ConformanceFailure`` if the values differ.
func expect<Value: Equatable>(_ value: Value, is wanted: Value, _ what: String) throws {
  try expect(value == wanted, "\(what): \(wanted), not \(value)")
}

/// - Throws: ``ConformanceFailure`` if there is no value.
func require<Value>(_ value: Value?, _ what: String) throws -> Value {
  guard let value else { throw ConformanceFailure(description: "expected: \(what)") }
  return value
}

/// - Throws: ``ConformanceFailure`` unless the body throws a ``LogError`` with the code.
func expect(
  throwing code: LogError.Code, _ what: String, _ body: () async throws -> Void
) async throws {
  do {
    try await body()
  } catch let error as LogError {
    return try expect(error.code.rawValue, is: code.rawValue, what)
  }
  throw ConformanceFailure(description: "expected \(code.rawValue): \(what)")
}
