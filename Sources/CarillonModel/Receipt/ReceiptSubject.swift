internal import Crypto

/// The subject of a notification, which receipts and responses refer to.
public enum ReceiptSubject: Hashable, Sendable {
  /// A scheduled notification, identified by its occurrence.
  case occurrence(habit: HabitID, schedule: ScheduleID, nominal: CivilDateTime)
  /// A fetched item: the source's name, 1 to 200 bytes, and the source's ID of the item, 1 to 256
  /// bytes.
  case item(source: String, item: String)
  /// A remote notification, identified by the ID that its receiver assigned, 1 to 64 bytes.
  case push(id: String)

  /// The revision of a notification without a revision of its own.
  public static let firstRevision = "0"

  /// The ID of the notification in the system: the request's `c1.` or `c1i.` ID, or the push's own
  /// ID.
  ///
  /// Equal on every replica.
  package var key: String {
    switch self {
    case .occurrence(let habit, let schedule, let nominal):
      RequestID(habit: habit, schedule: schedule, nominal: nominal).description
    case .item(let source, let item): Self.itemKey(source: source, item: item)
    case .push(let id): id
    }
  }

  /// The origin of the notification: the habit's ID, the source's name, or `push`.
  package var source: String {
    switch self {
    case .occurrence(let habit, _, _): habit.description
    case .item(let source, _): source
    case .push: "push"
    }
  }

  /// Returns `c1i.` and 16 base32 characters of SHA-256 over `"carillon.item.v1"`, the length of
  /// the source in bytes (2, big-endian), the source and the item's ID.
  private static func itemKey(source: String, item: String) -> String {
    let name = Array(source.utf8)
    let digest = SHA256.hash(
      data: Array("carillon.item.v1".utf8) + UInt16(clamping: name.count).bigEndianBytes + name
        + Array(item.utf8))
    return "c1i." + RequestID.characters(of: digest)
  }
}
