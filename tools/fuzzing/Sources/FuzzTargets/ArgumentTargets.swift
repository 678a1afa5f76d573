import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

#if canImport(CarillonVerbs)
@testable import CarillonVerbs
#else
@testable import CarillonCLI
#endif

extension FuzzTarget {
  static let argumentTargets = [
    FuzzTarget(
      name: "arguments", maxByteCount: 256, seeds: Arguments.seeds, run: Arguments.read),
    FuzzTarget(
      name: "argument-order", maxByteCount: 256, seeds: Arguments.seeds, run: Arguments.readOrder),
    flags,
    FuzzTarget(
      name: "argument-values", maxByteCount: 80, seeds: Arguments.valueSeeds,
      run: Arguments.readValue),
  ]
}

/// The parts of the command line that need no store.
private enum Arguments {
  private static let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
  private static let frame = ScheduleFrame(
    today: "2026-11-23", now: Instant(milliseconds: 1_795_431_600_000), zone: zone)

  /// Arguments, one per line: a verb is found, or the answer is one line and a failure.
  ///
  /// Only the verb's own parser runs if they name a verb: that of all verbs takes ten times longer.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    guard let given = given(bytes) else { return }
    let order = ArgumentOrder(given, verbs: CommandRunner.verbs)
    do {
      guard let verb = verb(order.path) else {
        _ = try CommandRunner.parse(order)
        return
      }
      let rest = Array(order.arguments.dropFirst(order.path.count))
      if let verb = try verb.parseAsRoot(rest) as? any Verb {
        _ = try Call(GlobalValues(verb.global))
      }
    } catch let failure as CommandFailure {
      failure.isReported()
    } catch is ModelError {
      return
    } catch  where !CarillonCommand.exitCode(for: error).isSuccess {
      CommandRunner.failure(ofParser: error, order.path).isReported()
    } catch {
      hold(!CarillonCommand.fullMessage(for: error).isEmpty, "the help text is not empty")
    }
  }

  /// The same without the parser: what moves and joins arguments loses none of them.
  static func readOrder(_ bytes: UnsafeRawBufferPointer) {
    guard let given = given(bytes) else { return }
    let order = ArgumentOrder(given, verbs: CommandRunner.verbs)
    hold(order.path.count <= 2, "a verb is a word in at most one group: \(order.path)")
    if let unknown = order.unknownVerb {
      hold(given.joined(separator: " ").contains(unknown.word), "an unknown verb was given")
    }
    let again = ArgumentOrder(order.arguments, verbs: CommandRunner.verbs)
    hold(again.arguments == order.arguments, "arguments in order stay as they are: \(given)")
    hold(again.path == order.path, "the verb stays the same: \(given)")
    _ = (ArgumentOrder.store(given), ArgumentOrder.asksForJSON(given), CompletionScript(given))
  }

  /// Returns the arguments of an input, or nil if a program cannot be given them.
  private static func given(_ bytes: UnsafeRawBufferPointer) -> [String]? {
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the verb of a path, or nil if the path names no verb or a group of verbs.
  private static func verb(_ path: [String]) -> (any ParsableCommand.Type)? {
    var verb: any ParsableCommand.Type = CarillonCommand.self
    for word in path {
      let named = verb.configuration.subcommands.first {
        $0._commandName == word || $0.configuration.aliases.contains(word)
      }
      guard let named else { return nil }
      verb = named
    }
    return path.isEmpty || !verb.configuration.subcommands.isEmpty ? nil : verb
  }

  /// Parses one value as each option would.
  static func readValue(_ bytes: UnsafeRawBufferPointer) throws {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    take(
      [
        DateText.self, DateTimeText.self, DigestRule.self, TimeOfDay.self, TimeList.self,
        WeekdayList.self, DayInterval.self, StopAfter.self, Amount.self, ZoneName.self,
        DataItem.self, RepeatText.self, DayWindow.self, Quota.self, Habit.Owner.self,
        OptionList<Schedule.Condition>.self, OptionList<Permission.Options>.self,
      ], text)
    if let duration = try? DurationText(argument: text) {
      let again = try? DurationText(argument: duration.seconds.shortDuration)
      hold(again?.seconds == duration.seconds, "a duration reads back equal: \(text)")
    }
    if let date = try? DateText(argument: text) {
      let (past, future) = (
        date.date(.past, today: frame.today), date.date(.future, today: frame.today)
      )
      hold(past <= future, "the past is not after the future: \(text)")
    }
    if let moment = try? InstantText(argument: text) {
      _ = try? moment.clock(in: zone, frame.now)
      _ = moment.resolved(in: zone, .past, today: frame.today).warning(for: "--from")
    }
    if let place = try? PlaceText(argument: text) { readPlace(place.region(.entry)) }
    if let peer = try? RemoteAddress(text) {
      hold(peer.destination.first != "-" && !peer.path.isEmpty, "\(text) is not an option of ssh")
      let words = peer.arguments(program: "carillon")
      hold(words.count >= 2 && !words.contains { $0.contains("\0") }, "ssh accepts the words")
    }
    _ = try? SyncPeer(text)
  }

  private static func take(_ types: [any ArgumentValue.Type], _ text: String) {
    for type in types { _ = try? type.init(argument: text) }
  }

  private static func readPlace(_ region: Schedule.Region) {
    let text =
      "\(region.latitude.degrees),\(region.longitude.degrees),\(region.radius)m"
    hold(
      (try? PlaceText(argument: text))?.region(.entry) == region,
      "a place reads back equal: \(text)")
  }

  // MARK: - Seeds

  static func seeds() -> [[UInt8]] {
    let lines = [
      "habit add Walk --on mon-wed,fri --at 07:30,17:00 --unless done,quota --quota 3/week",
      "habit add Walk --every 3d --from 2026-11-20 --at 07:30 --before 15m --repeat 2x5m",
      "habit add Walk --interval 4h --from 2026-11-20T07:00:00Z --window 08:00-20:00",
      "habit add Walk --place 52.52,-13.405,200m --on-leaving --data a=b --data c=d --level active",
      "habit add Walk --once 2026-12-24T18:00 --target 2.5 --unit km --goal 3/7d --owner both",
      #"habit add Walk --rrule DTSTART:20261123T173000\nRRULE:FREQ=DAILY --quiet-hours defer"#,
      "habit edit Walk --at none --fixed-zone Asia/Tokyo --stop-after 3d",
      "--json --store a --now 2026-11-23T12:00:00+01:00 --zone Europe/Berlin pending --limit -1",
      "sync ssh://me@host:22/~/store --watch --every 5s --stall-timeout 1m --audit",
      "sync --stdio a",
      "help habit add", "habit help", "permission grant --options alert,sound", "--version",
      "receipt acted c1.x --action open --text T", "settings set quietHours 22:00-07:00",
      "clone a b --replica watch --role watch", "init --replica p --store-id 0", "log --follow",
      "--generate-completion-script bash", "receipts erase --all --before 2026-01-01", "done -- -x",
    ]
    return lines.map { Array($0.replacing(" ", with: "\n").utf8) }
  }

  static func valueSeeds() -> [[UInt8]] {
    Vectors.texts([
      "2026-11-23", "2026-11-23T17:00", "07:30,17:00", "mon-wed,fri", "3d", "2x5m", "365d",
      "52.52,-13.405,200m", "-90,180.0,1m", "Europe/Berlin", "key=value", "08:00-20:00", "3/week",
      "3/5d", "2.125", "1000000000", "phoneFirst", "alert,sound,badge", "done,quota,entry",
      "yesterday", "20 nov 2026", "20.11.", "11/20/2026", "7:30pm", "fri 7pm", "1h30m", "2 weeks",
      "22-7", "3/5m", "2026-11-23T17:00:00.5Z", "2026-11-23T17:00+01:00",
      "ssh://me@[::1]:22/~/a%20b",
      "ssh://host/path", "https://host/path", "2026-10-25T02:30",
    ])
  }
}

extension CommandFailure {
  /// Reports whether a failure can be shown: two lines of text, and one of JSON.
  func isReported() {
    hold(status != .success && !hint.isEmpty, "a failure has a status and a hint")
    hold(text.utf8.count { $0 == 0x0A } == 2, "a failure has two lines: \(text)")
    hold(!json.description.contains("\n"), "a failure is one line of JSON")
  }
}
