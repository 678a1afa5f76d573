#if Service
internal import CarillonHub
internal import CarillonModel
internal import CarillonThreads
internal import Synchronization

/// The looks at the state of each group: side by side, and one at a time for each group.
final class GroupLooks: Sendable {
  private let running = Mutex<[String: Task<HubGroup, Never>]>([:])
  /// Apart from other calls, since a silent server keeps a thread for long.
  private let executor = BlockingExecutor(maxThreads: maxThreads)

  private static let maxThreads = 64
  /// How long a caller waits for an answer.
  private static let deadline = Duration.seconds(2)

  /// Returns the states of groups, in their order.
  ///
  /// A group that does not answer in time cannot be used. The look goes on, and later callers wait
  /// for it.
  func states(
    of names: [String], _ look: @escaping @Sendable (String) -> HubGroup
  ) async -> [HubGroup] {
    let tasks = running.withLock { running in
      names.map { name in
        if let task = running[name] { return task }
        let task = Task(executorPreference: executor) {
          defer { self.running.withLock { $0[name] = nil } }
          return look(name)
        }
        running[name] = task
        return task
      }
    }
    let (answers, answered) = AsyncStream.makeStream(of: (index: Int, group: HubGroup).self)
    for (index, task) in tasks.enumerated() { Task { answered.yield((index, await task.value)) } }
    let timer = Task {
      try? await Task.sleep(for: Self.deadline)
      answered.finish()
    }
    defer { timer.cancel() }
    var states = names.map {
      HubGroup($0, failure: LogError.refused(by: .silent, "the group has no answer in time"))
    }
    var left = names.count
    for await answer in answers {
      states[answer.index] = answer.group
      left -= 1
      if left == 0 { break }
    }
    return states
  }
}
#endif
