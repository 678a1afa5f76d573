import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import CarillonWire
import Foundation

#if canImport(CarillonVerbs)
@testable import CarillonVerbs
#else
@testable import CarillonCLI
#endif

extension FuzzTarget {
  static let flags = FuzzTarget(
    name: "flags", maxByteCount: 256, seeds: Flags.seeds, run: Flags.read)
}

/// The flags of `habit add` and `habit edit`, without the parser, which takes far longer than they.
///
/// An input has one flag a line: a byte for its name, and its value.
private enum Flags {
  private typealias Flag = (name: String, give: @Sendable (inout HabitAddCommand, String) -> Void)

  private static let frame = ScheduleFrame(
    today: "2026-11-23", now: Instant(milliseconds: 1_795_431_600_000),
    zone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)

  /// A habit and a schedule that can be recorded, or a failure with a status and a hint.
  static func read(_ bytes: UnsafeRawBufferPointer) throws {
    var add = try none.get()
    for line in bytes.split(separator: 0x0A) {
      guard let value = String(validating: line.dropFirst(), as: UTF8.self) else { return }
      all[Int(line[line.startIndex]) % all.count].give(&add, value)
    }
    do {
      var habit = Habit(id: HabitID(high: 1, low: 2), title: add.title)
      try add.flags.edit(&habit, today: frame.today)
      try record(.habitCreated(HabitFields(creating: habit)))
      let schedule = try add.schedule.schedule(frame)
      var edited = Schedule(rule: .everyDays(3, from: "2026-11-20"), times: ["07:30"])
      try add.schedule.edit(&edited, frame)
      for schedule in [schedule, edited] {
        try record(.scheduleSet(ScheduleSet(habit: habit.id, schedule: schedule)))
        _ = schedule.warnings(of: habit, frame)
        _ = schedule.summary(LocalTime(zone: frame.zone, now: frame.now))
      }
    } catch let failure as CommandFailure {
      failure.isReported()
    } catch is ModelError {
      return
    }
  }

  /// What is recorded reads back equal.
  ///
  /// - Throws: `ModelError` if the event is refused.
  private static func record(_ payload: Payload) throws {
    let read = try PayloadCoding.decode(PayloadCoding.encode(payload))
    hold(read == payload, "an event reads back equal: \(payload)")
  }

  // MARK: - The flags

  /// The verb without a flag, parsed once.
  private static let none = Result { try HabitAddCommand.parse(["Walk"]) }

  private static let all: [Flag] = rules + relatives + suppressions + contents + habits

  private static let rules: [Flag] = [
    ("--on", { $0.schedule.rule.on.append(Given(argument: $1)) }),
    ("--at", { $0.schedule.rule.at.append(Given(argument: $1)) }),
    ("--every", { $0.schedule.rule.every = Given(argument: $1) }),
    ("--from", { $0.schedule.rule.from = Given(argument: $1) }),
    ("--once", { $0.schedule.rule.once = Given(argument: $1) }),
    ("--rrule", { $0.schedule.rule.rrule = Given(argument: $1) }),
    ("--interval", { $0.schedule.rule.interval = Given(argument: $1) }),
    ("--after-done", { $0.schedule.rule.afterDone = Given(argument: $1) }),
    ("--window", { $0.schedule.rule.window = Given(argument: $1) }),
    ("--place", { $0.schedule.rule.place = Given(argument: $1) }),
    ("--fixed-zone", { $0.schedule.rule.fixedZone = Given(argument: $1) }),
  ]

  private static let relatives: [Flag] = [
    ("--before", { $0.schedule.relative.before = Given(argument: $1) }),
    ("--after", { $0.schedule.relative.after = Given(argument: $1) }),
    ("--of", { $0.schedule.relative.of = Given(argument: $1) }),
    ("--duration", { $0.schedule.relative.duration = Given(argument: $1) }),
    ("--repeat", { $0.schedule.relative.repeats = Given(argument: $1) }),
  ]

  private static let suppressions: [Flag] = [
    ("--unless", { $0.schedule.suppression.unless = Given(argument: $1) }),
    ("--quota", { $0.schedule.suppression.quota = Given(argument: $1) }),
    ("--unless-done-within", { $0.schedule.suppression.unlessDoneWithin = Given(argument: $1) }),
    ("--quiet-hours", { $0.schedule.suppression.quietHours = Given(argument: $1) }),
    ("--stop-after", { $0.schedule.suppression.stopAfter = Given(argument: $1) }),
  ]

  private static let contents: [Flag] = [
    ("--body", { $0.schedule.content.body = Given(argument: $1) }),
    ("--sound", { $0.schedule.content.sound = Given(argument: $1) }),
    ("--level", { $0.schedule.content.level = Given(argument: $1) }),
    ("--data", { $0.schedule.content.data.append(Given(argument: $1)) }),
    ("--thread", { $0.schedule.content.thread = Given(argument: $1) }),
  ]

  private static let habits: [Flag] = [
    ("--target", { $0.flags.target = Given(argument: $1) }),
    ("--at-most", { $0.flags.atMost = Given(argument: $1) }),
    ("--unit", { $0.flags.unit = Given(argument: $1) }),
    ("--group", { $0.flags.group = Given(argument: $1) }),
    ("--owner", { $0.flags.owner = Given(argument: $1) }),
    ("--start", { $0.flags.start = Given(argument: $1) }),
    ("--end", { $0.flags.end = Given(argument: $1) }),
    ("--goal", { $0.flags.goal = Given(argument: $1) }),
    ("--question", { $0.flags.question = Given(argument: $1) }),
    ("--notes", { $0.flags.notes = Given(argument: $1) }),
  ]

  // MARK: - Seeds

  static func seeds() -> [[UInt8]] {
    [
      "--on mon-wed,fri --at 07:30,17:00 --unless done,quota --quota 3/week --stop-after 3d",
      "--every 3d --from 2026-11-20 --at 7pm --before 15m --repeat 2x5m --of end --duration 45m",
      "--interval 4h --from 2026-11-20T07:00:00Z --window 08:00-20:00 --unless-done-within 50m",
      "--place 52.52,-13.405,200m --data a=b --data c=d --level active --sound bell --thread t",
      "--once 2026-12-24T18:00 --target 2.5 --unit km --goal 3/7d --owner both --start tomorrow",
      #"--rrule DTSTART:20261123T173000\nRRULE:FREQ=DAILY;COUNT=9 --quiet-hours defer --group g"#,
      "--after-done 4h --fixed-zone Asia/Tokyo --at-most 2 --end 2027-01-01 --question Q --notes N",
      "--on weekends --every 2w --after 10m --goal 4/day --body none --at none --quota none",
    ].map(seed)
  }

  /// Returns the input for flags as they are written on the command line.
  private static func seed(_ flags: String) -> [UInt8] {
    let words = flags.split(separator: " ")
    return stride(from: 0, to: words.count, by: 2).flatMap { index -> [UInt8] in
      let flag = all.firstIndex { $0.name == words[index] } ?? 0
      return [UInt8(flag)] + words[index + 1].utf8 + [0x0A]
    }
  }
}
