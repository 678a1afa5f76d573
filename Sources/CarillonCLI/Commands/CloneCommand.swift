import ArgumentParser
import Carillon
import Foundation

/// `carillon clone`: a new replica of a store, and a first sync.
struct CloneCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Make a new replica of a store, and sync it.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The directory of a replica.") var from: String
  @Argument(help: "A new or empty directory.") var directory: String
  @OptionGroup var device: DeviceFlags

  func run(_ call: Call) async throws {
    let role = try device.role.value(for: "--role")
    let target = URL(filePath: directory, directoryHint: .isDirectory)
    let source = URL(filePath: from, directoryHint: .isDirectory)
    let name = device.replica.precomposedStringWithCanonicalMapping
    let bar = ProgressBar("cloning", isQuiet: call.output.isQuiet)
    try await call.withStore(at: source) { source in
      // Of all replicas of a name, the first shows by the name alone.
      let taken = try await source.status().replicas.first { $0.name == name }
      try await creating {
        let (store, report) = try await Store.clone(
          source, at: target, replica: device.replica, role: role, options: call.storeOptions
        ) { bar.update($0) }
        bar.finish()
        let status = try await store.status()
        let made = try status.madeJSON.merging(store.firstEventJSON)
        await store.close()
        if let other = taken.flatMap({ taken in
          status.replicas.first { $0.replica == taken.replica }
        }) {
          try call.output.note(
            "Another replica is named \(name) too: this one shows as \(status.name), "
              + "that one as \(other.name).")
        }
        try call.output.answer(made.merging(["sync": report.json])) {
          call.output.isQuiet
            ? ""
            : "Made replica \(status.name) of store \(status.store) in \(target.path): "
              + "\(report.eventsReceived.counted("event"))\n"
        }
      }
    }
  }
}

extension ProgressBar {
  /// Shows how far a sync is.
  func update(_ progress: SyncProgress) {
    update(
      UInt64(clamping: progress.eventsSent + progress.eventsReceived),
      of: UInt64(clamping: progress.eventsToSend + progress.eventsToReceive))
  }

  /// Shows how far a rebuild is.
  func update(_ progress: RebuildProgress) {
    update(progress.done, of: progress.total)
  }
}
