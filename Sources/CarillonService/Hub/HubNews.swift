#if Service
import CarillonHub
import CarillonLog
import CarillonModel
import Logging
import ServiceLifecycle
import Synchronization

/// Reports to the open streams of a process that the logs of their people have grown.
///
/// One query a second asks for the positions of all people who have a stream here, so that news
/// arrive through any process. News of this process itself arrive at once.
package final class HubNews: Service {
  private let hub: Hub
  private let logger: Logger
  private let state = Mutex(State())

  private struct State {
    var people: [StoreID: Watched] = [:]
    var isStopped = false
  }

  private struct Watched {
    /// Nil until the log was asked.
    var position: LogPosition?
    let news = Broadcast<Void>()
  }

  /// The time between two queries.
  private static let pace = Duration.seconds(1)

  init(_ hub: Hub, _ logger: Logger) {
    (self.hub, self.logger) = (hub, logger)
  }

  /// Asks for news until the service stops, then ends all streams.
  package func run() async throws {
    do {
      try await cancelWhenGracefulShutdown {
        while true {
          try await Task.sleep(for: Self.pace)
          await self.look()
        }
      }
    } catch is CancellationError {
      let people = state.withLock { state in
        state.isStopped = true
        return Array(state.people.values)
      }
      for person in people { person.news.finish() }
    }
  }

  /// Returns the position of the last event of a person.
  ///
  /// - Throws: ``Problem`` `busy`, also if the person's shard was moved since the request began, or
  ///   if the person was erased: the next request finds out which.
  func position(of person: StoreID) async throws -> LogPosition {
    if let known = state.withLock({ $0.people[person]?.position }) { return known }
    guard let position = try await positions(of: [person])[person] else {
      throw Problem.busy("the person's log is no longer in this group")
    }
    note([person: position], of: [person])
    return position
  }

  /// A request of this process has appended events of a person.
  func logGrew(of person: StoreID) {
    guard state.withLock({ $0.people[person] != nil }) else { return }
    Task { await look(at: [person]) }
  }

  /// Returns what a stream of a person follows.
  func source(of person: StoreID) -> any EventStreamSource { Source(news: self, person: person) }

  // MARK: -

  private func look() async {
    let people = state.withLock { state in
      state.people = state.people.filter { !$0.value.news.isUnheard }
      return Set(state.people.keys)
    }
    if !people.isEmpty { await look(at: people) }
  }

  private func look(at people: Set<StoreID>) async {
    // A group that does not answer must not delay the others.
    await withDiscardingTaskGroup { group in
      for people in hub.byGroup(people) {
        group.addTask { await self.lookInGroup(at: people) }
      }
    }
  }

  private func lookInGroup(at people: Set<StoreID>) async {
    do {
      note(try await positions(of: people), of: people)
    } catch {
      // Devices also sync from time to time without news.
      logger.debug("the positions of logs cannot be read", metadata: ["error": "\(error)"])
    }
  }

  /// Returns the positions of people of one group.
  private func positions(of people: Set<StoreID>) async throws -> [StoreID: LogPosition] {
    guard let person = people.first else { return [:] }
    return try await hub.using(groupOf: person) { try await $0.positions(of: people) }
  }

  private func note(_ positions: [StoreID: LogPosition], of people: Set<StoreID>) {
    for person in people {
      let news = state.withLock { state -> Broadcast<Void>? in
        guard let watched = state.people[person], watched.position != positions[person] else {
          return nil
        }
        state.people[person]?.position = positions[person]
        return watched.news
      }
      news?.yield(())
    }
  }

  /// Returns a stream that yields at once, and whenever the log of a person has grown.
  private func changes(of person: StoreID) -> AsyncStream<Void> {
    state.withLock { state in
      let watched = state.people[person] ?? Watched()
      let changes = watched.news.stream(startingWith: ())
      if state.isStopped { watched.news.finish() } else { state.people[person] = watched }
      return changes
    }
  }

  private struct Source: EventStreamSource {
    let news: HubNews
    let person: StoreID

    func follow(_ body: @escaping @Sendable () -> Void) async {
      for await _ in news.changes(of: person) { body() }
    }

    func checkFiles() {}
  }
}
#endif
