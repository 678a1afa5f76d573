import Carillon
import Synchronization

/// The notifications of `watch` that wait for an answer.
///
/// Each is a running command, at most ``limit``; one more closes the oldest.
final class UnansweredNotifications: Sendable {
  /// The answer to a notification.
  struct Answer: Sendable {
    let notice: Notice
    let action: ResponseAction
  }

  private struct Item {
    let notice: Notice
    let task: Task<Void, Never>
  }

  private struct State {
    /// The open notifications by number, which ascends.
    var items: [Int: Item] = [:]
    var answers: [Answer] = []
    var lastNumber = 0
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  /// The maximum number of open notifications.
  static let limit = 16

  /// - Parameter wake: Is called when there is an answer.
  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  /// Shows a notification, with actions if the command can.
  ///
  /// Closes an open one of the same ID, which it replaces.
  ///
  /// - Returns: Why the notification was not shown, or nil if it was.
  func show(_ notice: Notice, by notifier: Notifier) async -> String? {
    guard let command = notifier.withActions(for: notice) else {
      return await notifier.show(notice)
    }
    close { $0.id == notice.id }
    // Also if the caller is cancelled: the notification is shown, or the reason is known.
    switch await Task.detached(operation: { await self.start(command, for: notice) }).value {
    case .shown: return nil
    case .late(let reason): return reason
    case .refused(let reason):
      return notifier.mayShowWithoutActions ? await notifier.show(notice) : reason
    }
  }

  /// Removes and returns the answers that came since the last call, in order.
  func takeAnswers() -> [Answer] {
    state.withLock { state in
      defer { state.answers = [] }
      return state.answers
    }
  }

  /// Closes the notifications that satisfy a condition, without waiting until they are closed.
  func close(where isClosed: (Notice) -> Bool) {
    state.withLock { state in
      for item in state.items.values where isClosed(item.notice) { item.task.cancel() }
    }
  }

  // MARK: -

  private func start(
    _ command: NotificationWithActions, for notice: Notice
  ) async -> NotificationWithActions.Start {
    let (starts, report) = AsyncStream.makeStream(of: NotificationWithActions.Start.self)
    state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      let task = Task.detached {
        let action = await command.run { report.yield($0) }
        self.end(number, Task.isCancelled ? nil : action.map { Answer(notice: notice, action: $0) })
      }
      state.items[number] = Item(notice: notice, task: task)
      for old in state.items.keys.sorted().dropLast(Self.limit) { state.items[old]?.task.cancel() }
    }
    for await start in starts { return start }
    return .shown
  }

  private func end(_ number: Int, _ answer: Answer?) {
    state.withLock { state in
      state.items[number] = nil
      if let answer { state.answers.append(answer) }
    }
    if answer != nil { wake() }
  }

  /// Closes all notifications, and waits until they are closed.
  func closeAll() async {
    let items = state.withLock { Array($0.items.values) }
    for item in items { item.task.cancel() }
    for item in items { await item.task.value }
  }
}
