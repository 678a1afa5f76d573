/// An event log as far as it is read: what queries, a rebuild and the sending side of a sync need.
///
/// Reading is synchronous and sees a consistent snapshot per call. All methods may be called from
/// any task or thread.
public protocol EventReader: Sendable {
  /// The store whose events these are. Constant while the log is open.
  var storeID: StoreID { get }

  /// Under which name the next event will be written.
  ///
  /// - Throws: `LogError`, as every other method.
  func identity() throws -> ReplicaIdentity

  /// All branches, by ascending index; the index equals the place in the array.
  ///
  /// - Complexity: O(branches).
  func branches() throws -> [Branch]

  /// The position of the last event; ``Position/start`` in an empty log.
  func lastPosition() throws -> Position

  /// The position of an event, or nil where the log does not hold it.
  ///
  /// - Complexity: O(branches × log events).
  func position(of id: EventID) throws -> Position?

  /// The position of the event at a place of a branch, following the branch's parents for places
  /// before its own first; nil beyond its head.
  func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> Position?

  /// Calls `body` for the events after a position in order of arrival, until it returns false or
  /// the log ends. The log's end is that of the moment of the call.
  ///
  /// - Complexity: O(events visited); about 0.05 µs each. Memory is flat.
  func scan(after position: Position, _ body: (RawEvent) throws -> Bool) throws

  /// Calls `body` like ``scan(after:_:)``, but gives an event whose content does not hash to its ID
  /// as its ID alone, as if its content were missing.
  ///
  /// For whatever shows what events say: nothing damaged is taken for what was written.
  ///
  /// - Complexity: O(bytes of the events visited): two hashes each. Memory is flat.
  func scanIntact(after position: Position, _ body: (RawEvent) throws -> Bool) throws

  /// Calls `body` for the events of a branch from a sequence on, in order, until it returns false
  /// or the branch ends. Places before the branch's own first are read from its parents.
  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool) throws

  /// Computes the ID of every event anew from what is held, and names those that are damaged:
  /// whose payload, or whose ID, is not the one that was written, or whose content is missing. At
  /// most 1,000 are named.
  ///
  /// - Complexity: O(bytes of the log). Memory is flat.
  func damagedEvents() throws -> [DamagedEvent]

  /// The generation of the projection file that serves; 0 where none was ever built.
  func projectionGeneration() throws -> UInt64
}
