public import CarillonModel

/// One item of a source, as fetched.
public struct FetchedItem: Hashable, Sendable {
  /// The source's ID of the item; 1 to 256 bytes.
  public var id: String
  /// The item's revision, which changes when the item does; 1 to 256 bytes.
  public var revision: String
  /// The title of a notification about the item.
  public var title: String?
  /// The body of a notification about the item.
  public var body: String?
  /// The thread in which notifications about the item are grouped.
  public var thread: String?
  /// The address of the item.
  public var url: String?
  /// False if the person has already read the item elsewhere.
  ///
  /// It then does not alert, and its delivered notification is withdrawn.
  public var isUnread: Bool

  /// Creates a value from its parts.
  public init(
    id: String, revision: String = ReceiptSubject.firstRevision, title: String? = nil,
    body: String? = nil, thread: String? = nil, url: String? = nil, isUnread: Bool = true
  ) {
    self.id = id
    self.revision = revision
    self.title = title
    self.body = body
    self.thread = thread
    self.url = url
    self.isUnread = isUnread
  }
}

/// The result of an ingest, decided and recorded in one transaction.
public struct Intake: Hashable, Sendable {
  /// An item that must alert now, and never again in this revision.
  public struct Fresh: Hashable, Sendable {
    /// The ID of the notification.
    ///
    /// An updated item keeps its ID, so its notification replaces the earlier one.
    public let id: RequestID
    /// The item.
    public let item: FetchedItem
  }

  /// The result to report to the system that woke the app; `newData` if any item is fresh.
  public var result: WakeFinished.Result
  /// The items that have not alerted yet, in the order given.
  public var fresh: [Fresh]
  /// The number of items that do not alert: recorded before, repeated in the list, or already read.
  package var seen: Int
  /// The IDs of notifications whose items have been read; remove them if they are still on screen.
  public var withdrawn: [RequestID]
  /// Why nothing may be delivered, although the items were recorded; nil if delivery is allowed.
  public var blocked: Blocked?

  /// Creates a value from its parts.
  package init(
    result: WakeFinished.Result, fresh: [Fresh] = [], seen: Int = 0, withdrawn: [RequestID] = [],
    blocked: Blocked? = nil
  ) {
    self.result = result
    self.fresh = fresh
    self.seen = seen
    self.withdrawn = withdrawn
    self.blocked = blocked
  }
}
