/// The decoded content of an event: one case for each event kind (`protocol/EVENTS.md`).
public enum Payload: Hashable, Sendable {
  case habitCreated(HabitFields)
  case habitEdited(HabitFields)
  case habitArchivedSet(HabitArchivedSet)
  case habitDeleted(HabitDeleted)
  case habitRestored(HabitRestored)
  // By far the largest content, and rare: in place, it would more than double what each copy moves.
  indirect case scheduleSet(ScheduleSet)
  case scheduleRemoved(ScheduleRemoved)
  case entryRecorded(EntryRecorded)
  case entryVoided(EntryVoided)
  case dayMarked(DayMarked)
  case pauseSet(Pause)
  case snoozeSet(SnoozeSet)
  case itemObserved(ItemObserved)
  case receiptAdvanced(ReceiptAdvanced)
  case responseRecorded(ResponseRecorded)
  case planSubmitted(PlanSubmitted)
  case appActive(AppActive)
  case wakeFinished(WakeFinished)
  case permissionChanged(PermissionChanged)
  case permissionAsked(PermissionAsked)
  case alertsSet(AlertsSet)
  case pushTokenSet(PushTokenSet)
  case pushReceived(PushReceived)
  case deviceDescribed(DeviceDescription)
  case settingsSet(SettingsSet)
  case importFinished(ImportFinished)
  case dataErased(Erasure)
  case branchesClosed(BranchesClosed)
  case noteRecorded(NoteRecorded)
  case deviceSet(DeviceSet)
  /// A kind that is unknown to this build.
  ///
  /// Its events are stored, counted and sent on.
  case unknown(kind: UInt32)

  /// An event kind; its raw value is its number in the protobuf oneof.
  public enum Kind: UInt32, Hashable, Sendable, CaseIterable {
    case habitCreated = 1
    case habitEdited = 2
    case habitArchivedSet = 3
    case habitDeleted = 4
    case habitRestored = 5
    case scheduleSet = 6
    case scheduleRemoved = 7
    case entryRecorded = 8
    case entryVoided = 9
    case dayMarked = 10
    case pauseSet = 11
    case snoozeSet = 12
    case itemObserved = 13
    case receiptAdvanced = 14
    case responseRecorded = 15
    case planSubmitted = 16
    case appActive = 17
    case wakeFinished = 18
    case permissionChanged = 19
    case permissionAsked = 20
    case alertsSet = 21
    case pushTokenSet = 22
    case pushReceived = 23
    case deviceDescribed = 24
    case settingsSet = 25
    case importFinished = 26
    case dataErased = 27
    case branchesClosed = 28
    case noteRecorded = 29
    case deviceSet = 30

    /// The type that describes the kind.
    package var type: any EventContent.Type {
      switch self {
      case .habitCreated: HabitCreated.self
      case .habitEdited: HabitEdited.self
      case .habitArchivedSet: HabitArchivedSet.self
      case .habitDeleted: HabitDeleted.self
      case .habitRestored: HabitRestored.self
      case .scheduleSet: ScheduleSet.self
      case .scheduleRemoved: ScheduleRemoved.self
      case .entryRecorded: EntryRecorded.self
      case .entryVoided: EntryVoided.self
      case .dayMarked: DayMarked.self
      case .pauseSet: Pause.self
      case .snoozeSet: SnoozeSet.self
      case .itemObserved: ItemObserved.self
      case .receiptAdvanced: ReceiptAdvanced.self
      case .responseRecorded: ResponseRecorded.self
      case .planSubmitted: PlanSubmitted.self
      case .appActive: AppActive.self
      case .wakeFinished: WakeFinished.self
      case .permissionChanged: PermissionChanged.self
      case .permissionAsked: PermissionAsked.self
      case .alertsSet: AlertsSet.self
      case .pushTokenSet: PushTokenSet.self
      case .pushReceived: PushReceived.self
      case .deviceDescribed: DeviceDescription.self
      case .settingsSet: SettingsSet.self
      case .importFinished: ImportFinished.self
      case .dataErased: Erasure.self
      case .branchesClosed: BranchesClosed.self
      case .noteRecorded: NoteRecorded.self
      case .deviceSet: DeviceSet.self
      }
    }

    /// The kind's name in JSON, such as `entry.recorded`.
    public var name: String { type.name }

    /// Returns the kind with a name in JSON, or nil.
    package init?(name: String) {
      guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = kind
    }
  }

  /// The content of the event; nil for an unknown kind.
  package var content: (any EventContent)? {
    switch self {
    case .habitCreated(let content): HabitCreated(content)
    case .habitEdited(let content): HabitEdited(content)
    case .habitArchivedSet(let content): content
    case .habitDeleted(let content): content
    case .habitRestored(let content): content
    case .scheduleSet(let content): content
    case .scheduleRemoved(let content): content
    case .entryRecorded(let content): content
    case .entryVoided(let content): content
    case .dayMarked(let content): content
    case .pauseSet(let content): content
    case .snoozeSet(let content): content
    case .itemObserved(let content): content
    case .receiptAdvanced(let content): content
    case .responseRecorded(let content): content
    case .planSubmitted(let content): content
    case .appActive(let content): content
    case .wakeFinished(let content): content
    case .permissionChanged(let content): content
    case .permissionAsked(let content): content
    case .alertsSet(let content): content
    case .pushTokenSet(let content): content
    case .pushReceived(let content): content
    case .deviceDescribed(let content): content
    case .settingsSet(let content): content
    case .importFinished(let content): content
    case .dataErased(let content): content
    case .branchesClosed(let content): content
    case .noteRecorded(let content): content
    case .deviceSet(let content): content
    case .unknown: nil
    }
  }

  /// The kind; nil if it is unknown to this build.
  public var kind: Kind? { content.map { type(of: $0).kind } }

  /// The kind's number.
  package var kindNumber: UInt32 {
    if case .unknown(let number) = self { number } else { kind?.rawValue ?? 0 }
  }

  /// The kind's name in JSON, such as `entry.recorded`.
  public var typeName: String { kind?.name ?? "unknown.\(kindNumber)" }

  /// Checks all limits.
  ///
  /// Writers reject a payload that fails this check. Readers keep and count such an event, but
  /// projections ignore it.
  ///
  /// - Parameter isWithinLimits: Whether each field is known to be within its limit, so that only
  ///   limits that involve several fields remain to be checked.
  /// - Throws: `invalidValue` naming the field and the limit.
  package func validate(isWithinLimits: Bool = false) throws(ModelError) {
    switch self {
    case .habitCreated(let content):
      try HabitCreated(content).validate(isWithinLimits: isWithinLimits)
    case .habitEdited(let content):
      try HabitEdited(content).validate(isWithinLimits: isWithinLimits)
    case .habitArchivedSet(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .habitDeleted(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .habitRestored(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .scheduleSet(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .scheduleRemoved(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .entryRecorded(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .entryVoided(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .dayMarked(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .pauseSet(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .snoozeSet(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .itemObserved(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .receiptAdvanced(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .responseRecorded(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .planSubmitted(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .appActive(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .wakeFinished(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .permissionChanged(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .permissionAsked(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .alertsSet(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .pushTokenSet(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .pushReceived(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .deviceDescribed(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .settingsSet(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .importFinished(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .dataErased(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .branchesClosed(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .noteRecorded(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .deviceSet(let content): try content.validate(isWithinLimits: isWithinLimits)
    case .unknown: break
    }
  }

  /// What an erasure must name to redact the event.
  package var erasureSubject: ErasureSubject { content?.erasureSubject ?? .none }
}

extension FieldGroup {
  /// Checks all limits.
  ///
  /// - Parameter isWithinLimits: Whether each field is known to be within its limit.
  /// - Throws: `invalidValue` naming the field and the limit.
  package func validate(isWithinLimits: Bool = false) throws(ModelError) {
    if !isWithinLimits {
      var (copy, check) = (self, LimitCheck())
      try copy.visitFields(&check)
    }
    try checkRelations()
  }
}

extension Payload {
  /// Whether the payload is a receipt, or a response to a notification.
  package var isReceipt: Bool { kind == .receiptAdvanced || kind == .responseRecorded }
}
