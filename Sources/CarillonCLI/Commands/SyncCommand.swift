import ArgumentParser
import Carillon
import Foundation

/// `carillon sync`: two replicas exchange what each lacks.
struct SyncCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Exchange what each of two replicas lacks.",
    usage: "carillon sync PEER --store DIR\n       carillon sync A B")

  @OptionGroup var global: GlobalOptions

  @Argument(help: ArgumentHelp("Directories: the peer of --store, or both.", valueName: "dir"))
  var peers: [String]

  func run(_ call: Call) async throws {
    guard (1...2).contains(peers.count) else {
      throw CommandFailure.usage(
        "sync takes one peer with --store, or two directories", hint: "carillon sync A B")
    }
    let directories = try peers.map(Self.directory)
    let first = peers.count == 2 ? directories[0] : try call.directory()
    let second = directories[directories.count - 1]
    let bar = ProgressBar("syncing", isQuiet: call.output.isQuiet)
    let report = try await call.withStore(at: first) { first in
      try await call.withStore(at: second) { second in
        try await first.sync(with: second) { bar.update($0) }
      }
    }
    bar.finish()
    for warning in report.warnings + report.refused { try call.output.warn(warning) }
    try call.output.answer(report.json) { call.output.isQuiet ? "" : report.text }
  }

  private static func directory(_ peer: String) throws(CommandFailure) -> URL {
    guard !peer.contains("://") else {
      throw .usage("\(peer): only directories can be synced with", hint: "give a directory's path")
    }
    return URL(filePath: peer, directoryHint: .isDirectory)
  }
}

extension SyncReport {
  /// As documented; sent and received as the first-named store sees it.
  var json: JSON {
    [
      "method": .text(method.rawValue), "messages": .integer(messages),
      "roundTrips": .integer(roundTrips), "bytesSent": .integer(bytesSent),
      "bytesReceived": .integer(bytesReceived), "eventsSent": .integer(eventsSent),
      "eventsReceived": .integer(eventsReceived),
      "forks": .array(forks) { fork in
        [
          "replica": .text(fork.replica.description), "sequence": .integer(fork.sequence),
          "heads": .array(fork.heads) { .text($0.description) },
        ]
      },
      "newIdentities": .array(newIdentities) { identity in
        [
          "replica": .text(identity.replica.description),
          "predecessor": .text(identity.predecessor.description),
        ]
      },
    ]
  }

  var text: String {
    guard method != .equal else { return "Both hold the same events.\n" }
    var text =
      "Sent \(eventsSent.grouped) and received \(eventsReceived.counted("event")): "
      + "\((bytesSent + bytesReceived).grouped) bytes in \(messages) messages.\n"
    for fork in forks {
      text +=
        "Replica \(fork.replica) has two histories from sequence \(fork.sequence) on: "
        + "its directory was copied or rolled back. Both are kept.\n"
    }
    for identity in newIdentities {
      text += "\(identity.predecessor) goes on as \(identity.replica).\n"
    }
    return text
  }
}
