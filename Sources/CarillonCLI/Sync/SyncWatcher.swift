import Carillon
import CarillonDocuments
import Foundation

/// Keeps two replicas in sync: syncs at once, and again whenever either log grows.
struct SyncWatcher {
  private let call: Call
  private let own: Store
  private let peer: SyncPeer
  private let pace: SyncPace
  /// The directory of the store, if the command line gives it besides `--store`.
  private let storeName: String?
  private var total = SyncTotal()
  /// The outage of the peer that was reported; nil while it is reachable.
  private var outage: Outage?
  /// The warnings of the last sync.
  private var warnings: [String] = []
  /// The message of the last sync's problem.
  private var problem: String?
  /// The use of a hub's quota that was reported last.
  private var byteUse: ByteUse?

  init(
    _ call: Call, _ own: Store, _ peer: SyncPeer, _ pace: SyncPace, storeName: String? = nil
  ) {
    self.storeName = storeName
    self.call = call
    self.own = own
    self.peer = peer
    self.pace = pace
  }

  /// Runs until the task is cancelled, and then prints the total; prints none if the first sync is
  /// refused.
  mutating func run() async throws {
    do {
      var pause = Self.firstPause
      while true {
        let count = total.count
        do {
          // The peer's own messages are already on standard error.
          _ = try await peer.withConnection(from: own, call, pace) { connection in
            try await syncs(over: connection)
          }
          try Task.checkCancellation()
          try own.checkFiles()
        } catch  where mayPass(error) {
          try own.checkFiles()
          try tell(error)
          if total.count > count { pause = Self.firstPause }
          try await Task.sleep(for: pause)
          pause = min(pause * 2, peer.maxPause)
        }
      }
    } catch {
      guard total.count > 0 || Task.isCancelled else { throw error }
      let total = total
      try call.output.answer(["total": total.json]) { call.output.isQuiet ? "" : total.text }
      throw error
    }
  }

  // MARK: -

  private static let firstPause = Duration.milliseconds(250)

  /// Syncs until the transport breaks or the task is cancelled.
  private mutating func syncs(over connection: PeerConnection) async throws {
    let stores = [own] + (connection.store.map { [$0] } ?? [])
    let changes = Changes(of: stores, and: connection.news)
    while !Task.isCancelled {
      let seen = try stores.map { try $0.lastPosition() }
      let newsCount = connection.news?.count
      let bar = ProgressBar("syncing", isQuiet: call.output.isQuiet)
      defer { bar.finish() }
      let report = try await connection.sync { bar.update($0) }
      bar.finish()
      if let use = connection.byteUse(), use != byteUse {
        call.output.note(use.notice)
        byteUse = use
      }
      try await tell(report, since: seen[0])
      let deadline = ContinuousClock.now + pace.every
      repeat {
        guard await changes.wait(until: deadline) else { return }
      } while try ContinuousClock.now < deadline && connection.news?.count == newsCount
        && stores.map { try $0.lastPosition() } == seen
    }
  }

  private mutating func tell(_ report: SyncReport, since before: LogPosition) async throws {
    if outage != nil { call.output.note("\(peer.name) is reachable again.") }
    outage = nil
    total.add(report)
    for warning in report.warnings where !warnings.contains(warning) {
      call.output.warn(warning)
    }
    warnings = report.warnings
    let problem = report.problem(hint: SyncCommand.repairHint)
    if let problem, problem.message != self.problem {
      CommandRunner.say(problem, isJSON: call.output.isJSON)
    }
    self.problem = problem?.message
    guard report.hasMoved else { return }
    let now = call.storeOptions.clock()
    let conflicts = try await call.conflicts(
      broughtBy: report, to: own, since: before, named: storeName)
    let json = report.json.merging([
      "at": .text(call.output.time.rfc3339(now)), "conflicts": .array(conflicts) { $0.json },
    ]).merging(byteUse.member)
    let lines = conflicts.map { $0.text + "\n" }.joined()
    try call.output.answer(json) {
      call.output.isQuiet ? "" : "\(call.output.time.text(now))  \(report.text)\(lines)"
    }
  }

  /// Whether to try again; a directory that existed before may come back.
  private func mayPass(_ error: any Error) -> Bool {
    guard let status = CommandFailure(error)?.status, !Task.isCancelled else { return false }
    return status == .unreachable || status == .busy || (status == .notFound && total.count > 0)
  }

  private mutating func tell(_ error: any Error) throws {
    guard let failure = CommandFailure(error) else { return }
    guard outage != nil else {
      outage = Outage(start: .now)
      return call.output.warn("\(failure.message); trying again until it is reachable")
    }
    if let time = outage?.timeToReport(at: .now) {
      call.output.note("Not reachable for \(time): \(failure.message)")
    }
  }
}

/// A time in which the peer is not reachable.
struct Outage {
  let start: ContinuousClock.Instant
  private var next = Duration.seconds(60)

  init(start: ContinuousClock.Instant) {
    self.start = start
  }

  /// Returns how long it lasts, in words, if it is to be reported: after a minute, and again
  /// whenever that time has doubled.
  mutating func timeToReport(at now: ContinuousClock.Instant) -> String? {
    let time = now - start
    guard time >= next else { return nil }
    while next <= time { next *= 2 }
    let minutes = Int(time.components.seconds / 60)
    return minutes < 120 ? minutes.counted("minute") : (minutes / 60).counted("hour")
  }
}

/// The total of all syncs of a watch.
private struct SyncTotal {
  private(set) var count = 0
  private var sent = 0
  private var received = 0
  private var bytesSent = 0
  private var bytesReceived = 0

  mutating func add(_ report: SyncReport) {
    count += 1
    sent += report.eventsSent
    received += report.eventsReceived
    bytesSent += report.bytesSent
    bytesReceived += report.bytesReceived
  }

  var json: JSON {
    [
      "syncs": .integer(count), "bytesSent": .integer(bytesSent),
      "bytesReceived": .integer(bytesReceived), "eventsSent": .integer(sent),
      "eventsReceived": .integer(received),
    ]
  }

  var text: String {
    "In \(count.counted("sync")) sent \(sent.grouped) and received "
      + "\(received.counted("event")): \((bytesSent + bytesReceived).grouped) bytes.\n"
  }
}

/// Wakes when one of several logs may have grown, at news of a peer, or at a given time.
private final class Changes: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let tasks: [Task<Void, Never>]

  init(of stores: [Store], and news: PeerNews?) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.stream = stream
    self.continuation = continuation
    let growth = stores.map { store in
      Task {
        for await _ in store.changes() { continuation.yield() }
        continuation.finish()
      }
    }
    let reports = news.map { news in
      Task {
        for await _ in news.arrivals { continuation.yield() }
      }
    }
    tasks = growth + (reports.map { [$0] } ?? [])
  }

  deinit {
    for task in tasks { task.cancel() }
  }

  /// Waits for a change or a time.
  ///
  /// - Returns: False if the task was cancelled, or a store's files are no longer in place.
  func wait(until deadline: ContinuousClock.Instant) async -> Bool {
    let timer = Task { [continuation] in
      try await Task.sleep(until: deadline, clock: .continuous)
      continuation.yield()
    }
    defer { timer.cancel() }
    for await _ in stream { return !Task.isCancelled }
    return false
  }
}
