/// The notification, in one revision, that receipts and responses refer to.
public enum ReceiptSubject: Hashable, Sendable {
  /// A scheduled notification, identified by its occurrence.
  case occurrence(OccurrenceID)
  /// A fetched item: the source's name, 1 to 200 bytes; the source's ID of the item, 1 to 256
  /// bytes; and its revision, 1 to 256 bytes.
  case item(source: String, item: String, revision: String = firstRevision)
  /// A remote notification: the ID that its receiver assigned, 1 to 64 bytes, and its revision, 1
  /// to 256 bytes.
  case push(id: String, revision: String = firstRevision)

  /// The text of the revision of a notification without a revision of its own.
  public static let firstRevision = "0"

  /// The text of the revision.
  package var revision: String {
    get {
      switch self {
      case .occurrence(let occurrence): occurrence.revision.text
      case .item(_, _, let revision), .push(_, let revision): revision
      }
    }
    set {
      switch self {
      case .occurrence(var occurrence):
        occurrence.revision = OccurrenceID.Revision(newValue)
        self = .occurrence(occurrence)
      case .item(let source, let item, _):
        self = .item(source: source, item: item, revision: newValue)
      case .push(let id, _): self = .push(id: id, revision: newValue)
      }
    }
  }

  /// The ID of the notification in the system: that of the occurrence's or the item's request, or
  /// the push's own ID.
  ///
  /// Equal on every replica.
  package var notificationID: NotificationID {
    switch self {
    case .occurrence(let occurrence): .request(occurrence.requestID)
    case .item(let source, let item, _): .request(RequestID(source: source, item: item))
    case .push(let id, _): NotificationID(id)
    }
  }

  /// The origin of the notification: the habit's ID, the source's name, or `push`.
  package var source: String {
    switch self {
    case .occurrence(let occurrence): occurrence.habit.description
    case .item(let source, _, _): source
    case .push: "push"
    }
  }
}
