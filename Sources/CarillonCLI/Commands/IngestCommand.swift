import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon ingest`: records fetched items, and lists the ones to alert.
struct IngestCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "ingest",
    abstract: "Record items fetched from a service, and list the ones not alerted yet.",
    discussion: """
      Each line is one item as a JSON object: id, and optionally revision, title, body, thread, \
      url and unread.

      Items listed as fresh are recorded as alerted in the same step, so deliver them now; the \
      same revision is not listed again. The newest \(Store.maxItems) items of each source are \
      retained. An older item that is fetched again is listed again. Items that are recorded while \
      permission is missing are listed again once it is granted.

      Examples:
        carillon ingest --source feed items.ndjson
        carillon ingest --source github --format github notifications.json
      """)

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("The name of the items' source; IDs are unique within one source."))
  var source: String

  @Option(
    help: ArgumentHelp(
      "github for a response of GitHub's notifications API (default: one JSON object per line)."))
  var format: Given<ItemFormat>?

  @Option(
    help: ArgumentHelp(
      "Also record the result of a background wake, by its reason: fetch or push."))
  var wake: Given<WakeReason>?

  @Argument(help: "The file, or - for standard input.") var file = "-"

  func run(_ call: Call) async throws {
    let format = try format.value(for: "--format") ?? .plain
    let wake = try wake.value(for: "--wake")?.reason
    var blocked: Blocked?
    let intake: Intake
    do {
      intake = try await call.withStore { store in
        do {
          let input = try InputFile(file)
          let items = try format.items(of: input)
          return try await ingest(items, of: input, into: store, wake)
        } catch {
          blocked = await record(failureIn: store, wake, call)
          throw error
        }
      }
    } catch {
      // The system that woke the device needs an answer even if the store cannot be opened.
      if call.output.isJSON {
        try call.output.answer(Intake(result: .failed, blocked: blocked).json) { "" }
      }
      throw error
    }
    try answer(intake, format, call)
  }

  private func ingest(
    _ items: NumberedItems, of input: InputFile, into store: Store, _ wake: WakeFinished.Reason?
  ) async throws -> Intake {
    do {
      return try await store.ingest(
        items.items, from: source, isNewestFirst: items.isNewestFirst, wake: wake)
    } catch {
      guard let index = error.index else { throw error }
      throw CommandFailure.badData(
        "\(input.name) \(items.place(of: index)): \(error.message)",
        hint: "correct the item; nothing was recorded")
    }
  }

  /// Records that the wake failed, if one was given, and returns why alerts are blocked.
  ///
  /// The cause of the failure, such as a full disk, may prevent this too. Then a warning is printed
  /// in addition to the error.
  private func record(
    failureIn store: Store, _ wake: WakeFinished.Reason?, _ call: Call
  ) async -> Blocked? {
    do {
      if let wake { try await store.recordWake(WakeFinished(reason: wake, result: .failed)) }
      return try await store.device().blocked
    } catch {
      call.output.warn("the failed fetch could not be recorded either")
      return nil
    }
  }

  private func answer(_ intake: Intake, _ format: ItemFormat, _ call: Call) throws {
    let isNews = !intake.fresh.isEmpty || !intake.withdrawn.isEmpty
    try call.output.answer(intake.json, recorded: isNews) {
      var table = Table([
        .init(title: "fresh", canShrink: true), .init(title: format.bodyName, canShrink: true),
        .id,
      ])
      for fresh in intake.fresh {
        table.add([
          .init(fresh.item.title ?? fresh.item.id, .bold), .init(fresh.item.body ?? ""),
          .init(fresh.id.description, .dim),
        ])
      }
      return (intake.fresh.isEmpty ? "" : table.rendered(on: call.output.terminal))
        + "\(intake.fresh.count) fresh, \(intake.seen) seen, \(intake.withdrawn.count) withdrawn.\n"
        + (intake.blocked.map { call.output.footer($0) } ?? "") + again(intake)
    }
  }

  /// What happens to fresh items that lack of permission keeps from being delivered.
  private func again(_ intake: Intake) -> String {
    guard !intake.fresh.isEmpty, intake.blocked == .notDetermined || intake.blocked == .denied
    else { return "" }
    return "Items that are fetched again are fresh again once permission is granted.\n"
  }
}

/// Items with their places in the file, for messages.
struct NumberedItems: Sendable {
  var items: [FetchedItem] = []
  /// The line of each item; empty if they come from one JSON list.
  var lines: [Int] = []
  var isNewestFirst = false

  func place(of index: Int) -> String {
    lines.isEmpty ? "item \(index)" : "line \(lines[index])"
  }
}

/// The format of items in a file.
enum ItemFormat: ArgumentValue {
  case plain, gitHub

  static let form = "github, or leave out the option for one JSON object per line"
  /// 64 MiB; a thousand of GitHub's threads are about 5 MB.
  private static let maxBytes = 64 << 20

  init(argument: String) throws(ArgumentProblem) {
    guard argument == "github" else { throw ArgumentProblem("unknown format \"\(argument)\"") }
    self = .gitHub
  }

  /// The name of an alert's second line.
  var bodyName: String { self == .gitHub ? "repository" : "text" }

  /// Reads the items of a file.
  ///
  /// - Throws: `badData` with the line number, or the item's index from 0.
  func items(of input: InputFile) throws -> NumberedItems {
    switch self {
    case .gitHub:
      let data = try input.wholeContents(maxBytes: Self.maxBytes)
      do throws(ModelError) {
        return NumberedItems(items: try FetchedItem.gitHub(data), isNewestFirst: true)
      } catch {
        throw CommandFailure.badData(
          "\(input.name): \(error.message)",
          hint: "give a response of GitHub's notifications API; nothing was recorded")
      }
    case .plain:
      var found = NumberedItems()
      try input.forEachLine { number, bytes in
        guard found.items.count < Store.maxItems else {
          throw CommandFailure.badData(
            "\(input.name): more than the maximum of \(Store.maxItems) items",
            hint: "ingest them in parts, oldest first; only the newest \(Store.maxItems) items of "
              + "a source are remembered; nothing was recorded")
        }
        found.items.append(try Self.item(bytes, line: number, isFirst: found.items.isEmpty, input))
        found.lines.append(number)
      }
      return found
    }
  }

  private static func item(
    _ bytes: [UInt8], line number: Int, isFirst: Bool, _ input: InputFile
  ) throws(CommandFailure) -> FetchedItem {
    do {
      return try input.naming(number) { () throws(ModelError) in try FetchedItem(json: bytes) }
    } catch {
      let isList = bytes.first { ![0x20, 0x09, 0x0D].contains($0) } == UInt8(ascii: "[")
      guard isFirst, isList else { throw error }
      throw .badData(error.message, hint: "the file is a JSON list; add --format github")
    }
  }
}

/// The reason for which a device was woken, as an option names it.
struct WakeReason: ArgumentValue {
  let reason: WakeFinished.Reason

  static let names = ["fetch", "push"]
  static let form = "fetch or push"

  init(argument: String) throws(ArgumentProblem) {
    switch argument {
    case "fetch": reason = .fetch
    case "push": reason = .push
    default: throw ArgumentProblem("unknown reason \"\(argument)\"")
    }
  }
}
