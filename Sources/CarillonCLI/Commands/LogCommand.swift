import ArgumentParser
import Carillon

/// `carillon log`: lists the events in order of arrival.
struct LogCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "List the events, in order of arrival.")

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Continue with new events as they arrive, until Ctrl-C.") var follow = false

  @Option(help: ArgumentHelp("Start after this position (default: 0).", valueName: "position"))
  var after: Given<Int>?

  func run(_ call: Call) async throws {
    let given = try after.value(for: "--after") ?? 0
    guard let start = UInt64(exactly: given).map(LogPosition.init(rawValue:)) else {
      throw CommandFailure.badValue("--after: \(given) is negative", hint: "give 0 or more")
    }
    try await call.withStore { store in
      var names = try ReplicaNames(store)
      var titles = try await titles(of: store, call)
      if follow {
        for try await logged in store.events(after: start) {
          let name = try names.name(of: logged.event.replica, in: store)
          titles.observe(logged.payload)
          try ByteOutput.standardOutput.write(line(logged, name, titles, call))
        }
        return
      }
      var buffer = LineBuffer()
      for try await logged in store.history(after: start) {
        try buffer.append(line(logged, names[logged.event.replica], titles, call))
      }
      try buffer.flush()
      try Task.checkCancellation()
    }
  }

  /// Returns the titles of habits, if they are printed.
  ///
  /// The log can be read without the projections. Habits are then shown by the start of their IDs.
  private func titles(of store: Store, _ call: Call) async throws -> HabitTitles {
    guard !call.output.isJSON else { return HabitTitles() }
    do {
      return try await HabitTitles(store)
    } catch let error as StoreError {
      try Task.checkCancellation()
      call.output.warn("habits are listed by ID: \(error.message)")
      return HabitTitles()
    }
  }

  private func line(
    _ logged: LoggedEvent, _ name: String, _ titles: HabitTitles, _ call: Call
  ) -> String {
    guard !call.output.isJSON else { return logged.json(name: name).withoutControls + "\n" }
    let time = call.output.time.text(
      Instant(milliseconds: logged.event.timestamp.milliseconds))
    let event = "\(name.printable)@\(logged.event.sequence.rawValue)"
    return "\(String(logged.position.rawValue).leftPadded(6))  \(time)  "
      + "\(event.rightPadded(14))  "
      + [
        logged.typeName.rightPadded(18),
        titles.summary(logged.payload, call.output.time).printable,
      ]
      .joined(separator: "  ").trimmingSuffix + "\n"
  }
}

/// The displayed names of replicas, looked up again if a replica is not known.
struct ReplicaNames {
  private var names: [ReplicaID: String]

  init(_ store: Store) throws {
    names = try store.replicaNames()
  }

  subscript(replica: ReplicaID) -> String {
    names[replica] ?? String(replica.description.prefix(8))
  }

  mutating func name(of replica: ReplicaID, in store: Store) throws -> String {
    if names[replica] == nil { names = try store.replicaNames() }
    return self[replica]
  }
}

extension String {
  fileprivate func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - displayWidth)) + self
  }

  /// The text without trailing spaces.
  fileprivate var trimmingSuffix: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }

  fileprivate func rightPadded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - displayWidth))
  }
}
