/// What became of one notification in one revision, on all devices together.
public struct Receipt: Hashable, Sendable {
  /// How far it came: a state that was recorded, or one that follows from other events.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// A fetched item, given out to be shown; what became of it nobody told.
    case observed
    /// Given to the system, which will show it.
    case submitted
    /// Given to the system and due since, while the device had permission; never recorded.
    case presumed
    /// Shown, as far as the system tells.
    case delivered
    /// Taken back from the screen.
    case expired
    /// Put away by the person.
    case dismissed
    /// The person opened the app with it.
    case opened
    /// The person answered it.
    case acted
  }

  /// What the person answered to a notification.
  public struct Answer: Hashable, Sendable {
    /// `done`, `skip`, `snooze`, `open`, or a name of the app's own.
    public let action: String
    /// What the person wrote.
    public let text: String?

    /// Makes a value of its parts.
    public init(action: String, text: String?) {
      self.action = action
      self.text = text
    }
  }

  /// What the notification was of.
  public let subject: ReceiptSubject
  /// Of what it showed.
  public let revision: String
  /// The last of the states reached.
  public let state: State
  /// When it came to that state, by the least event ID that says so.
  public let at: Instant
  /// On whose device.
  public let replica: ReplicaID
  /// The title of a fetched item in that revision, where it had one and it is kept.
  public let title: String?
  /// The last answer, of any device, where it was answered and that is kept.
  public let answer: Answer?
  /// The number of the repeat, of a ``Relative`` schedule; else 0.
  public package(set) var number: Int

  /// Makes a value of its parts.
  public init(
    subject: ReceiptSubject, revision: String, state: State, at: Instant, replica: ReplicaID,
    title: String? = nil, answer: Answer? = nil
  ) {
    self.subject = subject
    self.revision = revision
    self.state = state
    self.at = at
    self.replica = replica
    self.title = title
    self.answer = answer
    number = revision.repeatNumber ?? 0
  }

  /// Under which id the system shows it, as the queue names it: that of the subject, or of the
  /// repeat.
  public var key: String {
    guard number > 0, case .occurrence(let habit, let schedule, let nominal) = subject else {
      return subject.key
    }
    return RequestID(habit: habit, schedule: schedule, nominal: nominal, number: number).description
  }
}

extension String {
  /// The number of the repeat that a receipt's revision names; nil where it names none.
  package var repeatNumber: Int? { hasPrefix("r") ? Int(digits: dropFirst()) : nil }
}

extension Receipt.State {
  /// A state that was recorded.
  public init(_ state: ReceiptState) {
    self =
      switch state {
      case .submitted: .submitted
      case .delivered: .delivered
      case .expired: .expired
      case .dismissed: .dismissed
      case .opened: .opened
      case .acted: .acted
      }
  }

  /// The state of a fetched item of which no receipt is kept, or one that was recorded, or
  /// `presumed` where the system of a device must have shown it by now: it was due, and the device
  /// had permission then.
  package init(_ state: ReceiptState?, fireAt: Instant?, now: Instant, on device: Device?) {
    guard let state else {
      self = .observed
      return
    }
    let wasShown = fireAt.map { $0 <= now && device?.isGranted(at: $0) ?? false } ?? false
    self = state == .submitted && wasShown ? .presumed : Self(state)
  }
}
