/// The reading half of an event log: what queries, a rebuild and the sending side of a sync need.
///
/// Reading is synchronous, and each call sees a consistent snapshot. All methods may be called from
/// any task or thread.
public protocol EventReader: Sendable {
  /// The store that the events belong to. Constant while the log is open.
  var storeID: StoreID { get }

  /// The identity used for new events.
  ///
  /// - Throws: `LogError`, like every other method.
  func identity() throws -> ReplicaIdentity

  /// All branches, in ascending order of index; a branch's index is its index in the array.
  ///
  /// - Complexity: O(branches).
  func branches() throws -> [Branch]

  /// The position of the last event; ``LogPosition/start`` in an empty log.
  func lastPosition() throws -> LogPosition

  /// Returns the position of an event, or nil if the log does not hold it.
  ///
  /// - Complexity: O(branches × log events).
  func position(of id: EventID) throws -> LogPosition?

  /// Returns the position of the event with a sequence on a branch, or nil if the sequence is
  /// beyond the branch's head. Sequences before the branch's own first event are looked up in its
  /// parents.
  func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> LogPosition?

  /// Calls `body` for the events after a position, in order of arrival, until it returns false or
  /// the log ends. Events that arrive during the call are not visited.
  ///
  /// - Complexity: O(events visited); about 0.05 µs each. Memory is flat.
  func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws

  /// Calls `body` like ``scan(after:_:)``, but passes an event whose content does not hash to its
  /// ID as its ID alone, as if its content were missing.
  ///
  /// Use it to show the content of events: damaged content is never taken for the original.
  ///
  /// - Complexity: O(bytes of the events visited): two hashes each. Memory is flat.
  func scanIntact(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws

  /// Calls `body` for the events of a branch from a sequence on, in order, until it returns false
  /// or the branch ends. Sequences before the branch's own first event are read from its parents.
  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool) throws

  /// Recomputes the ID of every event and returns at most 1,000 damaged events. An event is damaged
  /// if its payload or its ID is not what was written, or if its content is missing.
  ///
  /// - Complexity: O(bytes of the log). Memory is flat.
  func damagedEvents() throws -> [DamagedEvent]

  /// The generation of the projection file in use; 0 if none was ever built.
  func projectionGeneration() throws -> UInt64
}
