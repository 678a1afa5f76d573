#if Service
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

@testable import CarillonService

/// The service's OpenAPI document, to hold it against requests and replies.
struct OpenAPIDocument: Sendable {
  static let shared: OpenAPIDocument = {
    do {
      return OpenAPIDocument(try JSON(parsing: PackageResources.openapi_json))
    } catch {
      preconditionFailure("the document is not JSON: \(error)")
    }
  }()

  let json: JSON

  private init(_ json: JSON) {
    self.json = json
  }

  /// The operations as `GET /v1/habits/{habit}`.
  var operations: Set<String> {
    Set(
      members(json["paths"]).flatMap { path in
        members(path.value).map { "\($0.name.uppercased()) \(path.name)" }
      })
  }

  /// The paths of GET with the names of their parameters in the query that are whole numbers.
  var wholeNumbers: [(path: String, name: String)] {
    members(json["paths"]).flatMap { path in
      (path.value["get"]?["parameters"]?.elements ?? []).filter {
        $0["in"]?.text == "query" && $0["schema"]?["type"]?.text == "integer"
      }.compactMap { $0["name"]?.text.map { (path.name, $0) } }
    }
  }

  /// Returns what is wrong with a reply, by the schema of its operation and status.
  func problems(of reply: Reply, _ method: HTTPRequest.Method, _ uri: String) -> [String] {
    guard let operation = operation(method, uri) else { return ["no operation for \(uri)"] }
    let responses = operation["responses"]
    var response = responses?[String(reply.status.code)] ?? responses?["default"]
    if let reference = response?["$ref"]?.text { response = value(at: reference) }
    guard let response else { return ["no response \(reply.status.code)"] }
    let content = members(response["content"])
    let type = reply.headers[.contentType]?.prefix { $0 != ";" } ?? ""
    guard !content.isEmpty else { return reply.text.isEmpty ? [] : ["a body is not described"] }
    guard let found = content.first(where: { $0.name == type }) else {
      return ["the type \(type) is not described"]
    }
    guard type == "application/json" || type.hasSuffix("+json") else { return [] }
    guard let schema = found.value["schema"], let body = try? reply.json() else {
      return ["the body is not JSON"]
    }
    return SchemaCheck(document: self).problems(of: body, schema, "body")
  }

  /// Returns the value that a reference names.
  func value(at reference: String) -> JSON? {
    reference.split(separator: "/").dropFirst().reduce(json as JSON?) { $0?[String($1)] }
  }

  /// Returns the operation for a request.
  private func operation(_ method: HTTPRequest.Method, _ uri: String) -> JSON? {
    let parts = uri.prefix { $0 != "?" }.split(separator: "/")
    let matching = members(json["paths"]).filter { path in
      let pattern = path.name.split(separator: "/")
      return pattern.count == parts.count
        && zip(pattern, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
    return matching.lazy.compactMap { $0.value[method.rawValue.lowercased()] }.first
  }

  func members(_ value: JSON?) -> [JSONObject.Member] {
    if case .object(let object)? = value { object.members } else { [] }
  }
}

/// A check of values against the keywords of JSON Schema that the document uses.
struct SchemaCheck {
  let document: OpenAPIDocument

  /// The keywords that are checked, and those that state nothing about a value of an answer.
  static let keywords: Set = [
    "$ref", "type", "enum", "oneOf", "allOf", "properties", "required", "additionalProperties",
    "items", "pattern", "minimum", "maximum", "maxItems", "minItems", "maxLength", "minLength",
    "maxProperties", "minProperties", "format", "description", "examples", "contentMediaType",
  ]

  /// Returns what is wrong with a value, each with its place.
  func problems(of value: JSON, _ schema: JSON, _ place: String) -> [String] {
    var found: [String] = []
    if let reference = schema["$ref"]?.text {
      guard let target = document.value(at: reference) else { return ["\(place): no \(reference)"] }
      found += problems(of: value, target, place)
    }
    if let type = schema["type"] {
      let names = type.text.map { [$0] } ?? type.elements.compactMap(\.text)
      if !names.contains(where: { matches(value, $0) }) { found.append("\(place): not \(names)") }
    }
    if let allowed = schema["enum"], !allowed.elements.contains(value) {
      found.append("\(place): \(value) is not listed")
    }
    if let pattern = schema["pattern"]?.text, let text = value.text {
      let isMatch = (try? Regex(pattern)).map { text.wholeMatch(of: $0) != nil } ?? false
      if !isMatch { found.append("\(place): \(text) does not match \(pattern)") }
    }
    found += (schema["allOf"]?.elements ?? []).flatMap { problems(of: value, $0, place) }
    if let choices = schema["oneOf"]?.elements,
      !choices.contains(where: { problems(of: value, $0, place).isEmpty })
    {
      found.append("\(place): \(value) matches no alternative")
    }
    return found + limits(of: value, schema, place) + parts(of: value, schema, place)
  }

  private func limits(of value: JSON, _ schema: JSON, _ place: String) -> [String] {
    guard case .integer(let number) = value else { return [] }
    if case .integer(let least)? = schema["minimum"], number < least {
      return ["\(place): \(number) is less than \(least)"]
    }
    if case .integer(let most)? = schema["maximum"], number > most {
      return ["\(place): \(number) is more than \(most)"]
    }
    return []
  }

  private func parts(of value: JSON, _ schema: JSON, _ place: String) -> [String] {
    switch value {
    case .array(let elements):
      return schema["items"].map { items in
        elements.enumerated().flatMap { problems(of: $1, items, "\(place)[\($0)]") }
      } ?? []
    case .object(let object):
      let required = (schema["required"]?.elements ?? []).compactMap(\.text)
      let missing = required.filter { object[$0] == nil }.map { "\(place): no \($0)" }
      return missing
        + object.members.flatMap { member -> [String] in
          if let own = schema["properties"]?[member.name] {
            return problems(of: member.value, own, "\(place).\(member.name)")
          }
          switch schema["additionalProperties"] {
          case .bool(false)?: return ["\(place): \(member.name) is not described"]
          case let others? where others != .bool(true):
            return problems(of: member.value, others, "\(place).\(member.name)")
          default: return []
          }
        }
    default: return []
    }
  }

  private func matches(_ value: JSON, _ type: String) -> Bool {
    switch (value, type) {
    case (.null, "null"), (.bool, "boolean"), (.integer, "integer"), (.integer, "number"),
      (.number, "number"), (.text, "string"), (.array, "array"), (.object, "object"):
      true
    default: false
    }
  }
}
#endif
