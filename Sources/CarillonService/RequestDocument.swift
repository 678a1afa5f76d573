#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird
import NIOCore

/// The JSON object in a request's body, whose members a route takes one after the other.
///
/// A member that no route took is refused, so that a misspelled name does not go unnoticed.
struct RequestDocument {
  private var members: JSONObject

  /// The limit of a body that is one document.
  static let maxBytes = 262_144

  /// The limit of a body with a few short members, which also clients without a credential send.
  static let maxShortBytes = 4_096

  /// Reads the body of a request with a few short members.
  ///
  /// - Throws: ``Problem``: `tooLarge`, `malformed`.
  init(short request: Request) async throws {
    try self.init(await request.bytes(atMost: Self.maxShortBytes))
  }

  /// Reads a body; an empty one is an empty object.
  ///
  /// - Throws: ``Problem`` `malformed`.
  init(_ body: [UInt8]) throws {
    guard !body.isEmpty else {
      members = JSONObject()
      return
    }
    do throws(ModelError) {
      guard case .object(let object) = try JSONValue(parsing: body) else {
        throw .malformed("the body must be a JSON object")
      }
      members = object
    } catch {
      throw Problem.malformed(error.message)
    }
  }

  /// Takes a member; nil if it is absent.
  mutating func take(_ name: String) -> JSON? {
    let value = members[name]
    members[name] = nil
    return value
  }

  /// Takes a text; nil if the member is absent or null.
  mutating func text(_ name: String) throws -> String? {
    switch take(name) {
    case nil, .null?: return nil
    case .text(let text)?: return text
    case let other?: throw Self.mismatch(name, "text", other)
    }
  }

  /// Takes a whole number; nil if the member is absent or null.
  mutating func integer(_ name: String) throws -> Int64? {
    guard let value = take(name), value != .null else { return nil }
    guard let number = value.wholeNumber else {
      let isNumber = if case .number = value { true } else { false }
      throw isNumber
        ? Problem.malformed("\(name) must be a whole number of at most 64 bits")
        : Self.mismatch(name, "a whole number", value)
    }
    return number
  }

  /// Takes true or false; nil if the member is absent or null.
  mutating func bool(_ name: String) throws -> Bool? {
    switch take(name) {
    case nil, .null?: return nil
    case .bool(let value)?: return value
    case let other?: throw Self.mismatch(name, "true or false", other)
    }
  }

  /// Takes a list; nil if the member is absent or null.
  mutating func list(_ name: String) throws -> [JSON]? {
    switch take(name) {
    case nil, .null?: return nil
    case .array(let elements)?: return elements
    case let other?: throw Self.mismatch(name, "a list", other)
    }
  }

  /// Takes all members that are left.
  mutating func rest() -> JSONObject {
    defer { members = JSONObject() }
    return members
  }

  /// Requires that every member was taken.
  func finish() throws {
    guard let unknown = members.members.first else { return }
    throw Problem.malformed(
      "unknown member \"\(unknown.name)\"", hint: "see /openapi.json for the members of the body")
  }

  private static func mismatch(_ name: String, _ expected: String, _ value: JSON) -> Problem {
    .malformed("\(name) must be \(expected), not \(value.kindName)")
  }
}

extension JSON {
  /// The value as a whole number, also if it is written as `2.0`; nil if it is none.
  var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .number(let text): Double(text).flatMap(Int64.init(exactly:))
    default: nil
    }
  }
}

extension Request {
  /// Returns the bytes of the body.
  ///
  /// - Parameter count: Called with the size of each piece before it is kept.
  /// - Throws: ``Problem``: `tooLarge`, before more than the limit is read; `unknownCoding`;
  ///   `malformed` if the client ends the connection before; `tooSlow`; the errors of `count`.
  func bytes(
    atMost limit: Int, at pace: BodyPace = BodyPace(),
    counting count: (Int) throws(Problem) -> Void = { _ in }
  ) async throws -> [UInt8] {
    if let length = headers[.contentLength], Int(length) ?? .max > limit {
      throw Problem.tooLarge(limit: limit)
    }
    guard headers[.transferEncoding]?.lowercased() ?? "chunked" == "chunked" else {
      throw Problem(
        .notImplemented, code: "unknownCoding",
        detail: "the body has a transfer coding besides chunked", hint: "send it as it is")
    }
    guard headers[.contentEncoding]?.lowercased() ?? "identity" == "identity" else {
      throw Problem(
        .unsupportedMediaType, code: "unknownCoding",
        detail: "the body has a content coding", hint: "send it as it is")
    }
    var bytes: [UInt8] = []
    do {
      for try await part in body {
        guard bytes.count + part.readableBytes <= limit else {
          throw Problem.tooLarge(limit: limit)
        }
        try count(part.readableBytes)
        bytes += part.readableBytesView
        try pace.require(bytes.count)
      }
    } catch let problem as Problem {
      throw problem
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // The client went away, or broke the protocol: nothing of the service failed.
      throw Problem.malformed("the body is cut off", hint: "send the request again")
    }
    return bytes
  }
}
#endif
