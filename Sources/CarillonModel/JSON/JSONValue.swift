/// A JSON document.
///
/// Objects keep the order of their members.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction or exponent that fits 64 bits.
  case integer(Int64)
  /// Any other number, as written.
  case number(String)
  case text(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The kind of the value for messages, such as `text` or `a number`.
  package var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .number: "a number"
    case .text: "text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// The members of a JSON object, in order and with distinct names.
package struct JSONObject: Hashable, Sendable {
  /// One member of an object.
  package struct Member: Hashable, Sendable {
    package let name: String
    package var value: JSONValue
  }

  package private(set) var members: [Member] = []

  package init() {}

  /// Creates an object by setting one member after the other.
  package init(_ members: [(String, JSONValue)]) {
    for (name, value) in members { self[name] = value }
  }

  /// Creates an object from members with distinct names.
  package init(distinct members: [(String, JSONValue)]) {
    self.members = members.map { Member(name: $0.0, value: $0.1) }
  }

  /// The value of a member.
  ///
  /// Setting a value under a new name appends a member; setting nil removes the member.
  ///
  /// - Complexity: O(members).
  package subscript(name: String) -> JSONValue? {
    get { members.first { $0.name == name }?.value }
    set {
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(JSONObject(members))
  }

  package init(arrayLiteral elements: JSONValue...) {
    self = .array(elements)
  }
}
