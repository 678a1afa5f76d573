#if Service
import ArgumentParser
import CarillonDocuments
import CarillonHub
import CarillonModel
import Foundation

/// `carillon hub shards`: shows which group of servers has which people.
struct HubShards: HubDatabaseVerb {
  static let configuration = CommandConfiguration(
    commandName: "shards", abstract: "Show the groups of servers, and which shards each has.")

  @OptionGroup var flags: HubVerbFlags

  func perform() async throws {
    let (id, groups, shards) = try await flags.withDatabase { database in
      (database.id, await database.groups(), try await database.shards())
    }
    let groupLines = groups.map { group in
      "group \(group.name): \(group.failure?.message ?? "usable")"
        + (group.copyCount.map { ", \($0.counted("synchronous standby"))" } ?? "") + "\n"
    }
    // Groups with rows of a shard that has moved to another group.
    let left = shards.map { shard in
      groups.filter {
        shard.target == nil && $0.name != shard.group && $0.heldShards[shard.number] != nil
      }.map(\.name)
    }
    let shardLines = Self.ranges(shards, left).map { range in
      let (first, last) = (range[0], range[range.count - 1])
      let isOne = range.count == 1
      let name = isOne ? "shard \(first.number)" : "shards \(first.number)-\(last.number)"
      return "\(name): \(first.group)" + Self.move(of: first)
        + left[first.number].map { ", with a copy left in \($0)" }.joined() + "\n"
    }
    let next = shards.filter { $0.target != nil || !left[$0.number].isEmpty }.map { shard in
      let move = "carillon hub move \(shard.number) "
      // The list is older than that group if it was restored from a backup.
      let later = groups.first { $0.heldShards[shard.number] ?? 0 > shard.epoch }?.name
      let end = move + ShellWord.quoted(shard.target ?? later ?? shard.group) + givenPlace
      guard let target = shard.target, target != shard.group else {
        return "If no such move runs, finish it: \(end)\n"
      }
      return "If no such move runs, finish it: \(end); or, if the database of \(target) is lost, "
        + "give it up: \(move)\(ShellWord.quoted(shard.group))\(givenPlace)\n"
    }
    output.answer(
      (["hub \(id)\n"] + groupLines + shardLines + next).joined(),
      [
        "hub": .text(id),
        "groups": .array(groups) {
          [
            "name": .text($0.name), "problem": .text($0.failure?.message),
            "copies": $0.copyCount.map { .integer($0) } ?? .null,
          ]
        },
        "shards": .array(shards) {
          [
            "number": .integer($0.number), "group": .text($0.group), "epoch": .integer($0.epoch),
            "target": .text($0.target), "leftIn": .array(left[$0.number]) { .text($0) },
          ]
        },
      ])
  }

  private static func move(of shard: HubShard) -> String {
    guard let target = shard.target else { return "" }
    return target == shard.group ? ", giving up a move" : ", moving to \(target)"
  }

  /// Returns consecutive shards that are in the same place together.
  ///
  /// - Parameter left: The groups that have a copy, for each shard.
  private static func ranges(_ shards: [HubShard], _ left: [[String]]) -> [[HubShard]] {
    shards.reduce(into: []) { ranges, shard in
      if let last = ranges.last?.last, last.group == shard.group, last.target == shard.target,
        left[last.number] == left[shard.number]
      {
        ranges[ranges.count - 1].append(shard)
      } else {
        ranges.append([shard])
      }
    }
  }
}

/// `carillon hub move`: moves a shard to another group.
struct HubMove: HubDatabaseVerb {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a shard to another group, while devices sync.",
    discussion: """
      If it is interrupted, run it again. To give up a move that was interrupted, such as when the \
      database of the new group is lost, give the group that the shard was in.
      """)

  @Argument(help: "The number of the shard.")
  var shard: Int
  @Argument(help: "The name of the group.")
  var group: String
  @OptionGroup var flags: HubVerbFlags

  func perform() async throws {
    try await flags.withDatabase { database in
      do {
        try await database.move(shard, to: group)
      } catch let error as LogError {
        guard error.code == .notFound else { throw error }
        throw LogError(
          code: error.code, message: error.message,
          hint: "list the groups and shards: carillon hub shards; to add a group, start the hub "
            + "with --groups NAME=URL")
      }
    }
    output.confirm(
      "Shard \(shard) is in group \(group.printable).\n",
      ["shard": .integer(shard), "group": .text(group)])
  }
}

/// `carillon hub migrate`: copies all people to another database.
struct HubMigrate: HubVerb {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Copy all people, with their devices, to another database.",
    discussion: """
      Stop the hub first: it refuses to run while a hub or another command uses either database, \
      and they cannot start meanwhile. Afterwards, hubs use the other database only. If it is \
      interrupted, run it again: hubs refuse the other database until then. Devices and \
      invitations of these people that only the other database has lose their access.

      Examples:
        carillon hub migrate hub.sqlite postgres://host/carillon
      """)

  @Argument(help: "The database to copy from: postgres://..., a directory, or FILE.sqlite.")
  var from: String
  @Argument(help: "The database to copy to.")
  var to: String
  @OptionGroup var output: ProgramOutput
  var givenPlace: String { "" }

  func perform() async throws {
    let source = try HubPlace(from, from: "the database to copy from")
    let target = try HubPlace(to, from: "the database to copy to")
    guard try !source.isSame(as: target) else {
      throw ServeFailure.usage(
        "both databases are the same", hint: "give another database to copy to")
    }
    let report = try await copy(source, target)
    output.confirm(
      "Copied \(report.people.counted("person", "people")) with "
        + "\(Int(clamping: report.events).counted("event")) and "
        + "\(report.devices.counted("device")).\n",
      [
        "people": .integer(report.people), "events": .integer(report.events),
        "devices": .integer(report.devices),
        "problems": .array(report.problems.sorted { $0.key < $1.key }) {
          ["person": .text($0.key), "problem": .text($0.value)]
        },
      ])
    guard let problem = report.problems.min(by: { $0.key < $1.key }) else { return }
    throw ServeFailure(
      status: .no, code: "incomplete",
      message: "not copied: \(report.problems.count.counted("person", "people")), such as "
        + "\(problem.key): \(problem.value)", hint: "correct the cause, and run the command again")
  }

  private func copy(_ from: HubPlace, _ to: HubPlace) async throws -> HubMigration.Report {
    try await from.open(use: .exclusive).closing { source in
      try await to.open(use: .exclusive, creates: true).closing { target in
        do {
          return try await HubMigration(from: source, to: target).run()
        } catch let error as LogError {
          let isOfTarget = error.cause is HubMigration.Conflict
          throw ServeFailure(hub: error)
            .naming(place: HubDatabaseFlags.given(isOfTarget ? self.to : self.from))
        }
      }
    }
  }
}
#endif
