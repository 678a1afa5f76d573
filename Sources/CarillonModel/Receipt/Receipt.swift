/// The delivery state of one revision of a notification, merged from all devices.
public struct Receipt: Hashable, Sendable {
  /// The delivery state: a recorded state, or one that follows from other events.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// A fetched item was handed out for display.
    ///
    /// No receipt of it is retained.
    case observed
    /// The notification was submitted to the system, which will deliver it.
    case submitted
    /// The notification was submitted and has since come due while the device had permission.
    ///
    /// No delivery was recorded.
    case presumed
    /// The system delivered the notification, as far as it reports.
    case delivered
    /// The notification was removed from the screen.
    case expired
    /// The person dismissed the notification.
    case dismissed
    /// The person opened the app with the notification.
    case opened
    /// The person answered the notification.
    case acted
  }

  /// The person's answer to a notification.
  public struct Answer: Hashable, Sendable {
    /// The action.
    public let action: ResponseAction
    /// The text that the person entered.
    public let text: String?

    /// Creates a value from its parts.
    package init(action: ResponseAction, text: String?) {
      self.action = action
      self.text = text
    }
  }

  /// The notification, in the delivered revision.
  public let subject: ReceiptSubject
  /// The latest state reached.
  public let state: State
  /// The instant at which that state was reached, according to the lowest event ID that records it.
  public let at: Instant
  /// The replica of the device that reached the state.
  public let replica: ReplicaID
  /// The title of a fetched item in that revision, if it had one and it is retained.
  public let title: String?
  /// The latest answer on any device, if there is one and it is retained.
  public let answer: Answer?
  /// The instant at which the notification fires or fired, or nil if no device recorded it.
  package let fireAt: Instant?
  /// The number of the repeat in a ``Schedule/Relative`` schedule, otherwise 0.
  package var number: Int

  /// Creates a value from its parts.
  package init(
    subject: ReceiptSubject, state: State, at: Instant, replica: ReplicaID, title: String? = nil,
    answer: Answer? = nil, fireAt: Instant? = nil
  ) {
    self.subject = subject
    self.state = state
    self.at = at
    self.replica = replica
    self.title = title
    self.answer = answer
    self.fireAt = fireAt
    number = if case .occurrence(let occurrence) = subject { occurrence.number } else { 0 }
  }

  /// The ID of the notification in the system.
  package var notificationID: NotificationID {
    guard number > 0, case .occurrence(let occurrence) = subject else {
      return subject.notificationID
    }
    return .request(occurrence.revised(.repeat(number)).requestID)
  }
}

extension Receipt.State {
  /// Creates the value of a recorded state.
  package init(_ state: ReceiptState) {
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

  /// Creates the state of a notification at a moment.
  ///
  /// A nil state describes a fetched item without a retained receipt. A submitted notification is
  /// `presumed` delivered if it has come due, and the device had permission at that instant and was
  /// not retired.
  package init(_ state: ReceiptState?, fireAt: Instant?, now: Instant, on device: Device?) {
    guard let state else {
      self = .observed
      return
    }
    let wasShown = fireAt.map { $0 <= now && device?.mayShow(at: $0) ?? false } ?? false
    self = state == .submitted && wasShown ? .presumed : Self(state)
  }
}
