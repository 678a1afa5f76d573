import ArgumentParser
import Carillon

/// `carillon ingest`: fetched items in, those to alert out.
struct IngestCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "ingest", abstract: "Take fetched items in; list those not alerted yet.",
    discussion: """
      Items are one JSON object a line: id, and as far as there are revision, title, body, thread, \
      url and unread. What is listed as fresh is recorded in the same step and not listed again \
      in that revision: show it now. Of each source the newest \(Store.maxItems) items are \
      remembered; an older one that comes again is fresh again.
      """)

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("Where the items come from; ids of two sources never meet."))
  var source: String

  @Option(help: ArgumentHelp("github: what GitHub's notifications API answers."))
  var format: Given<ItemFormat>?

  @Option(help: ArgumentHelp("Record also how the wake ended: fetch or push."))
  var wake: Given<WakeReason>?

  @Argument(help: "A file, or - for standard input.") var file = "-"

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
      // Whoever woke the device is answered even where the store cannot be opened.
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
    } catch let error as StoreError {
      guard let index = error.index else { throw error }
      throw CommandFailure.badData(
        "\(input.name) \(items.place(of: index)): \(error.message)",
        hint: "repair the item; nothing was recorded")
    }
  }

  /// Records that the wake failed, where one is named, and gives why nothing could be alerted.
  ///
  /// What made the fetch fail may stop this too, such as a full disk; it is told beside the error,
  /// which comes first.
  private func record(
    failureIn store: Store, _ wake: WakeFinished.Reason?, _ call: Call
  ) async -> Blocked? {
    do {
      if let wake { try await store.recordWake(WakeFinished(reason: wake, result: .failed)) }
      return try await store.device().blocked
    } catch {
      call.output.warn("that the fetch failed could not be recorded either")
      return nil
    }
  }

  private func answer(_ intake: Intake, _ format: ItemFormat, _ call: Call) throws {
    let isNews = !intake.fresh.isEmpty || !intake.withdrawn.isEmpty
    try call.output.answer(intake.json, recorded: isNews) {
      var table = Table([
        .init(title: "fresh", canShrink: true), .init(title: format.bodyName, canShrink: true),
        .init(title: "id"),
      ])
      for fresh in intake.fresh {
        table.add([
          .init(fresh.item.title ?? fresh.item.id, .bold), .init(fresh.item.body ?? ""),
          .init(fresh.id, .dim),
        ])
      }
      return (intake.fresh.isEmpty ? "" : table.rendered(on: call.output.terminal))
        + "\(intake.fresh.count) fresh, \(intake.seen) seen, \(intake.withdrawn.count) withdrawn.\n"
        + (intake.blocked.map { $0.text + "\n" } ?? "")
    }
  }
}

extension Intake {
  /// `{result, fresh[{id, item, revision, ...}], seen, withdrawn[], blocked}`.
  var json: JSON {
    [
      "result": .text(result.rawValue),
      "fresh": .array(fresh) { fresh in
        let item = fresh.item
        let texts = [
          ("title", item.title), ("body", item.body), ("thread", item.thread), ("url", item.url),
        ]
        return .object(
          [
            ("id", .text(fresh.id)), ("item", .text(item.id)), ("revision", .text(item.revision)),
          ] + texts.compactMap { name, text in text.map { (name, .text($0)) } })
      },
      "seen": .integer(seen), "withdrawn": .array(withdrawn) { .text($0) },
      "blocked": .text(blocked?.rawValue),
    ]
  }
}

/// Items with where they stood, for messages.
struct NumberedItems: Sendable {
  var items: [FetchedItem] = []
  /// The line of each, or empty where they are of a list.
  var lines: [Int] = []
  var isNewestFirst = false

  func place(of index: Int) -> String {
    lines.isEmpty ? "item \(index)" : "line \(lines[index])"
  }
}

/// How items are written.
enum ItemFormat: ArgumentValue {
  case plain, gitHub

  static let form = "github, or leave the option out for one JSON object a line"
  /// A thousand threads of GitHub's are about 5 MB.
  private static let maxBytes = 64 << 20

  init(argument: String) throws(ArgumentProblem) {
    guard argument == "github" else { throw ArgumentProblem("there is no format \"\(argument)\"") }
    self = .gitHub
  }

  /// What the second line of an alert is.
  var bodyName: String { self == .gitHub ? "repository" : "text" }

  /// Reads the items of a file.
  ///
  /// - Throws: `badData` naming the line, or the item by its index from 0.
  func items(of input: InputFile) throws -> NumberedItems {
    switch self {
    case .gitHub:
      let data = try input.wholeContents(maxBytes: Self.maxBytes)
      do throws(ModelError) {
        return NumberedItems(items: try FetchedItem.gitHub(data), isNewestFirst: true)
      } catch {
        throw CommandFailure.badData(
          "\(input.name): \(error.message)",
          hint: "give what GitHub's notifications API answers; nothing was recorded")
      }
    case .plain:
      var found = NumberedItems()
      try input.forEachLine { number, bytes in
        guard found.items.count < Store.maxItems else {
          throw CommandFailure.badData(
            "\(input.name): more than \(Store.maxItems) items at once",
            hint: "ingest them in parts, the oldest first; only the newest \(Store.maxItems) of a "
              + "source are remembered; nothing was recorded")
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
      throw .badData(error.message, hint: "this is a list; give --format github")
    }
  }
}

/// Why a device was woken, as an option names it.
struct WakeReason: ArgumentValue {
  let reason: WakeFinished.Reason

  static let form = "fetch or push"

  init(argument: String) throws(ArgumentProblem) {
    switch argument {
    case "fetch": reason = .fetch
    case "push": reason = .push
    default: throw ArgumentProblem("\"\(argument)\" is no reason")
    }
  }
}
