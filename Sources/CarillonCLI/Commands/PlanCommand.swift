import ArgumentParser
import Carillon
import Foundation

/// `carillon plan`: what to change so that the system holds the queue.
struct PlanCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Compare the queue with what the system has scheduled.")

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "What the system lists: as pending --json prints it; others' requests need only id.",
      valueName: "file"))
  var against: String

  func run(_ call: Call) async throws {
    let scheduled = try ScheduledList(contentsOf: against).requests
    try await call.withStore { store in
      let difference = try await store.planDifference(from: scheduled)
      let time = call.output.time
      try call.output.answer([
        "remove": .array(difference.removals) { .text($0) },
        "add": .array(difference.insertions) { $0.json(time) },
        "unchanged": .integer(difference.unchanged), "foreign": .integer(difference.foreign),
        "blocked": .text(difference.blocked?.rawValue),
      ]) {
        var table = Table([
          .init(title: ""), .init(title: "when"), .init(title: "reminder", canShrink: true),
          .init(title: "id"),
        ])
        for id in difference.removals { table.add(["remove", "", "", .init(id)]) }
        for request in difference.insertions {
          table.add([
            "add", .init(time.text(request.fireAt)), .init(request.content.title, .bold),
            .init(request.id, .dim),
          ])
        }
        let isEmpty = difference.removals.isEmpty && difference.insertions.isEmpty
        return (isEmpty ? "" : table.rendered(on: call.output.terminal))
          + "\(difference.removals.count) to remove, \(difference.insertions.count) to add, "
          + "\(difference.unchanged) unchanged, \(difference.foreign) of others.\n"
          + (difference.blocked.map { $0.text + "\n" } ?? "")
      }
    }
  }
}

/// The requests that a system lists, read from a file.
struct ScheduledList {
  let requests: [ScheduledRequest]

  private struct Document: Decodable {
    let pending: [Item]
  }

  private struct Item: Decodable {
    let id: String
    let fingerprint: String?
  }

  /// - Throws: `badData` naming the place of what is not of the form; `notFound`, `io`.
  init(contentsOf path: String) throws {
    let data = try InputFile(path).wholeContents(maxBytes: 64 << 20)
    let decoder = JSONDecoder()
    do {
      let items =
        data.first { !$0.isBlank } == UInt8(ascii: "[")
        ? try decoder.decode([Item].self, from: data)
        : try decoder.decode(Document.self, from: data).pending
      requests = items.map { ScheduledRequest(id: $0.id, fingerprint: $0.fingerprint) }
    } catch let error as DecodingError {
      throw CommandFailure.badData(
        "\(path): \(error.place)", hint: "give what pending --json prints, or a list of {\"id\":…}")
    }
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
}

extension DecodingError {
  /// What is wrong and where, such as `pending[3].id is missing`.
  fileprivate var place: String {
    func path(_ keys: [any CodingKey]) -> String {
      let text = keys.reduce("") { text, key in
        key.intValue.map { "\(text)[\($0)]" } ?? (text.isEmpty ? "" : text + ".") + key.stringValue
      }
      return text.isEmpty ? "the document" : text
    }
    return switch self {
    case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      "\(path(context.codingPath)) is not of type \(type)"
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "this is not JSON"
    case .dataCorrupted(let context): "\(path(context.codingPath)) cannot be read"
    @unknown default: "this cannot be read"
    }
  }
}
