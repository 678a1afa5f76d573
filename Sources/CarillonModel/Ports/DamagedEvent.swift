/// An event whose content does not hash to its ID.
public struct DamagedEvent: Hashable, Sendable {
  /// Its place in this log.
  public let position: LogPosition
  /// The branch that holds it.
  public let branch: BranchIndex
  /// Its place on that branch.
  public let sequence: SequenceNumber
  /// The stored ID, if the next event or the branch's head confirms it; nil if the ID itself is
  /// damaged, or may be.
  public let id: EventID?

  /// Creates a value from its parts.
  public init(
    position: LogPosition, branch: BranchIndex, sequence: SequenceNumber, id: EventID?
  ) {
    self.position = position
    self.branch = branch
    self.sequence = sequence
    self.id = id
  }
}
