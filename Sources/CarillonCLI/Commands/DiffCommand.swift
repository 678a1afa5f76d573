import ArgumentParser
import Carillon
import CarillonDocuments
import Foundation

/// `carillon diff`: compares the events of two replicas.
struct DiffCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "List the events that each of two replicas lacks.",
    discussion: """
      Exits with 0 if both have the same events, and with 1 if they differ.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The directory of one replica.") var a: String
  @Argument(help: "The directory of the other replica.") var b: String
  @Flag(help: "Also list the event IDs.") var ids = false

  func run(_ call: Call) async throws {
    for place in [a, b] where place.hasPrefix("ssh://") {
      throw CommandFailure.usage(
        "diff compares two directories; \(place) is on another computer",
        hint: "clone it first: carillon clone \(ShellWord.quoted(place)) DIR --replica NAME")
    }
    let directories = [a, b].map { URL(filePath: $0, directoryHint: .isDirectory) }
    try await call.withStore(at: directories[0]) { first in
      try await call.withStore(at: directories[1]) { second in
        let difference = try await first.difference(from: second)
        let here = try await sides(difference.onlyHere, of: first, named: a)
        let there = try await sides(difference.onlyThere, of: second, named: b)
        try call.output.answer([
          "onlyA": .array(here.map(\.json)), "onlyB": .array(there.map(\.json)),
        ]) {
          difference.isEmpty ? "Both have the same events.\n" : (here + there).map(\.text).joined()
        }
        if !difference.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
      }
    }
  }

  private struct Side {
    let json: JSON
    let text: String
  }

  private func sides(
    _ ranges: [EventRange], of store: Store, named directory: String
  ) async throws -> [Side] {
    let names = Dictionary(
      uniqueKeysWithValues: try await store.replicas().map { ($0.replica, $0.name) })
    var sides: [Side] = []
    for range in ranges {
      let listed = ids ? try await store.eventIDs(in: range).map(\.description) : []
      let name = names[range.replica] ?? range.replica.description
      let (first, last) = (range.sequences.lowerBound.rawValue, range.sequences.upperBound.rawValue)
      var json: JSON = [
        "replica": .text(range.replica.description), "name": .text(name),
        "first": .integer(first), "last": .integer(last), "count": .integer(range.count),
      ]
      if ids { json = json.merging(["ids": .array(listed) { .text($0) }]) }
      let shown = name.printable
      let shownRange = first == last ? "\(shown)@\(first)" : "\(shown)@\(first)…\(last)"
      sides.append(
        Side(
          json: json,
          text: "only in \(directory.printable): \(shownRange)  \(range.count.counted("event"))\n"
            + listed.map { "  \($0)\n" }.joined()))
    }
    return sides
  }
}
