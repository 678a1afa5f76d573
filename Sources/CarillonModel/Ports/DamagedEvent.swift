/// An event that does not come to its ID.
public struct DamagedEvent: Hashable, Sendable {
  /// Where it lies.
  public let position: Position
  /// On which branch.
  public let branch: BranchIndex
  /// At which place of it.
  public let sequence: SequenceNumber
  /// The ID that it bears, where the event after it, or the branch's head, follows from that one;
  /// nil where the ID itself is damaged, or may be.
  public let id: EventID?

  /// Makes a value of its parts.
  public init(
    position: Position, branch: BranchIndex, sequence: SequenceNumber, id: EventID?
  ) {
    self.position = position
    self.branch = branch
    self.sequence = sequence
    self.id = id
  }
}
