#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import Hummingbird
import NIOCore

/// A request to a store: what it names in its path, its query and its body.
struct StoreRequest: Sendable {
  let store: Store
  let request: Request
  /// The credential whose share of the limits it counts in; nil for the owner.
  let credential: String?
  /// The connection of the client; nil if it is not known.
  let channel: (any Channel)?
  /// The limit that the body counts in.
  private let bodies: ReceivedBodies
  private let path: Parameters
  private let query: Parameters

  init(
    _ request: Request, _ path: Parameters, _ store: Store, credential: String?,
    channel: (any Channel)?, bodies: ReceivedBodies
  ) {
    (self.store, self.request, self.path) = (store, request, path)
    (self.credential, self.channel, self.bodies) = (credential, channel, bodies)
    query = request.uri.query == nil ? [:] : request.uri.queryParameters
  }

  /// The device's clock and zone, in which times are answered.
  var time: LocalTime { LocalTime(zone: store.options.zone(), now: store.options.clock()) }

  /// The limit of a body with a list of items or requests.
  static let maxListBytes = 4 << 20

  /// Returns the JSON object in the body.
  func document(maxBytes: Int = RequestDocument.maxBytes) async throws -> RequestDocument {
    try await withBody(atMost: maxBytes) { try RequestDocument($0) }
  }

  /// Calls a closure with the bytes of the body, which count in the limit until it returns.
  func withBody<Result>(
    atMost limit: Int, _ body: ([UInt8]) async throws -> Result
  ) async throws -> Result {
    try await bodies.with(request, atMost: limit, for: credential, body)
  }

  /// Requires that the query has only these parameters, each once.
  func requireParameters(_ names: Set<Substring>) throws {
    for (name, _) in query {
      guard names.contains(name) else {
        throw Problem.malformed(
          "unknown parameter \"\(name)\"",
          hint: names.isEmpty
            ? "leave it out" : "the parameters are \(names.sorted().joined(separator: ", "))")
      }
      let count = query[values: name].count
      guard count == 1 else {
        throw Problem.malformed("\(name) is given \(count) times", hint: "give it once")
      }
    }
  }
}

// MARK: - The path

extension StoreRequest {
  /// The ID of the habit that the path names.
  var habit: HabitID { get throws { try id("habit") } }

  /// Returns the ID that the path has under a name.
  func id<Subject>(_ name: String) throws -> Identifier<Subject> {
    let text = path[name[...]] ?? ""
    guard let id = Identifier<Subject>(String(text)) else {
      throw Problem.invalid(
        name, text, "an ID, such as 81b253cd-3a34-416f-87f6-5714668d945d",
        hint: name == "habit" ? "GET /v1/habits lists the IDs" : nil)
    }
    return id
  }

  /// Returns the date that the path has.
  func dateInPath() async throws -> CivilDate {
    try await date("date", String(path["date"] ?? ""))
  }
}

// MARK: - The query

extension StoreRequest {
  /// Returns a parameter of the query; nil if it is absent.
  func parameter(_ name: String) -> String? { query[name[...]].map(String.init) }

  /// Returns whether a parameter is true; false if it is absent.
  func flag(_ name: String) throws -> Bool {
    switch parameter(name) {
    case nil, "false": return false
    case "true": return true
    case let other?: throw Problem.invalid(name, other, "true or false")
    }
  }

  /// Returns a parameter that is a whole number within limits; nil if it is absent.
  func integer(_ name: String, in limits: ClosedRange<Int>) throws -> Int? {
    try parameter(name).map { text in
      guard let number = Int(text), limits.contains(number) else {
        throw Problem.invalid(
          name, text, "a whole number from \(limits.lowerBound) to \(limits.upperBound)")
      }
      return number
    }
  }

  /// Returns a parameter that is a date; nil if it is absent.
  func date(_ name: String) async throws -> CivilDate? {
    guard let text = parameter(name) else { return nil }
    return try await date(name, text)
  }
}

// MARK: - Dates

extension StoreRequest {
  /// Takes the member `date` of a document; the verb's own default if it is absent.
  func day(_ document: inout RequestDocument) async throws -> HabitDate {
    try await date("date", of: &document).map(HabitDate.date) ?? .due
  }

  /// Takes a date of a document; nil if it is absent.
  func date(_ name: String, of document: inout RequestDocument) async throws -> CivilDate? {
    guard let text = try document.text(name) else { return nil }
    return try await date(name, text)
  }

  /// Returns the date of a text: `2026-11-26`, or a word for a date around today.
  func date(_ name: String, _ text: String) async throws -> CivilDate {
    let distances = ["yesterday": -1, "today": 0, "tomorrow": 1]
    if let days = distances[text] { return try await store.today().adding(days: days) }
    guard let date = CivilDate(text), CivilDate.accepted.contains(date) else {
      let (first, last) = (CivilDate.accepted.lowerBound, CivilDate.accepted.upperBound)
      throw Problem.invalid(
        name, text, "a date from \(first) to \(last), or one of today, yesterday and tomorrow")
    }
    return date
  }
}

extension RequestDocument {
  /// Takes an instant; nil if the member is absent or null.
  mutating func instant(_ name: String) throws -> Instant? {
    try text(name).map { text in
      guard let instant = Instant(rfc3339: text) else {
        throw Problem.invalid(name, text, "a time in RFC 3339, such as 2026-11-26T17:00:00+01:00")
      }
      return instant
    }
  }
}

extension Problem {
  /// A value that does not have the form that its member or parameter has.
  static func invalid(
    _ name: String, _ value: some StringProtocol, _ allowed: String, hint: String? = nil
  ) -> Problem {
    .invalidValue("\(name): \"\(value)\" is not \(allowed)", hint: hint)
  }
}
#endif
