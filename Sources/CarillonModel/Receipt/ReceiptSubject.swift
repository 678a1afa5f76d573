internal import Crypto

/// What a notification was of: what receipts and responses name.
public enum ReceiptSubject: Hashable, Sendable {
  /// A reminder, by the occurrence that it reminds of.
  case occurrence(habit: HabitID, schedule: ScheduleID, nominal: CivilDateTime)
  /// A fetched item: the source's name, 1 to 200 bytes, and the source's id of it, 1 to 256.
  case item(source: String, item: String)
  /// A remote notification, by the id that its receiver gave it; 1 to 64 bytes.
  case push(id: String)

  /// The revision of what has none.
  public static let firstRevision = "0"

  /// Under which id the system shows it: the request's `c1.` or `c1i.` id, or the push's own; equal
  /// on every replica.
  public var key: String {
    switch self {
    case .occurrence(let habit, let schedule, let nominal):
      RequestID(habit: habit, schedule: schedule, nominal: nominal).description
    case .item(let source, let item): Self.itemKey(source: source, item: item)
    case .push(let id): id
    }
  }

  /// What it came from: the habit's id, the source's name, or `push`.
  public var source: String {
    switch self {
    case .occurrence(let habit, _, _): habit.description
    case .item(let source, _): source
    case .push: "push"
    }
  }

  /// `c1i.` and 16 base32 characters of SHA-256 over `"carillon.item.v1"`, the length of the source
  /// in bytes (2, big-endian), the source and the item's id.
  private static func itemKey(source: String, item: String) -> String {
    let name = Array(source.utf8)
    let digest = SHA256.hash(
      data: Array("carillon.item.v1".utf8) + UInt16(clamping: name.count).bigEndianBytes + name
        + Array(item.utf8))
    return "c1i." + RequestID.characters(of: digest)
  }
}
