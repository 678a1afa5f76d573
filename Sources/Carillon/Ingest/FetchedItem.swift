public import CarillonModel

/// One item of a source, as a fetch gave it.
public struct FetchedItem: Hashable, Sendable {
  /// The source's id of it; 1 to 256 bytes.
  public var id: String
  /// What changes when the item changes; 1 to 256 bytes.
  public var revision: String
  /// What an alert shows first.
  public var title: String?
  /// What an alert shows below.
  public var body: String?
  /// What an alert is shown together with.
  public var thread: String?
  /// Where the item is to be found.
  public var url: String?
  /// False where the person has read it elsewhere: then it does not alert, and what is shown of it
  /// is to be taken away.
  public var isUnread: Bool

  /// Makes a value of its parts.
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

/// What an ingest found, decided and recorded in one step.
public struct Intake: Hashable, Sendable {
  /// An item to be alerted now, and never again in this revision.
  public struct Fresh: Hashable, Sendable {
    /// The id of the notification; an update of the item has the same, and replaces what is shown.
    public let id: String
    /// The item.
    public let item: FetchedItem
  }

  /// What to answer the system that woke the app: `newData` where something is fresh.
  public var result: WakeFinished.Result
  /// The items not alerted yet, in the order given.
  public var fresh: [Fresh]
  /// How many items alert no more: recorded before, twice in the list, or read already.
  public var seen: Int
  /// The ids of notifications whose items are read by now; take them away where they are shown.
  public var withdrawn: [String]
  /// Why nothing may be shown, though it was recorded; nil where it may.
  public var blocked: Blocked?

  /// Makes a value of its parts.
  public init(
    result: WakeFinished.Result, fresh: [Fresh] = [], seen: Int = 0, withdrawn: [String] = [],
    blocked: Blocked? = nil
  ) {
    self.result = result
    self.fresh = fresh
    self.seen = seen
    self.withdrawn = withdrawn
    self.blocked = blocked
  }
}
