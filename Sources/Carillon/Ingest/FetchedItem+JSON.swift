package import CarillonModel

extension FetchedItem {
  /// Creates an item from a JSON object with `id` and, optionally, `revision`, `title`, `body`,
  /// `thread`, `url` and `unread`.
  ///
  /// Other members are ignored.
  ///
  /// - Throws: `malformed` if it is not a JSON object, `invalidValue` naming the member.
  package init(json: some Collection<UInt8>) throws(ModelError) {
    try self.init(JSONValue(parsing: json))
  }

  /// Creates an item from a JSON object, as from its text.
  package init(_ value: JSONValue) throws(ModelError) {
    guard case .object(let object) = value else {
      throw .malformed("an item must be a JSON object, not \(value.kindName)")
    }
    self.init(id: try object.name("id"))
    if object["revision"] != nil { revision = try object.name("revision") }
    title = try object.text("title")
    body = try object.text("body")
    thread = try object.text("thread")
    url = try object.text("url")
    isUnread = try object.flag("unread") ?? true
  }

  /// Creates items from a response of GitHub's notifications API: a list of threads.
  ///
  /// Reads their `id`, `updated_at`, `unread`, `subject` and `repository`.
  ///
  /// - Throws: `malformed` if it is not a JSON list, `invalidValue` naming the item's index from 0
  ///   and the member.
  package static func gitHub(_ json: some Collection<UInt8>) throws(ModelError) -> [FetchedItem] {
    let value = try JSONValue(parsing: json)
    guard case .array(let elements) = value else {
      throw .malformed("notifications must be a JSON list, not \(value.kindName)")
    }
    var items: [FetchedItem] = []
    for (index, element) in elements.enumerated() {
      do throws(ModelError) {
        items.append(try FetchedItem(gitHub: element))
      } catch {
        throw .invalid("item \(index)", error.message)
      }
    }
    return items
  }

  private init(gitHub value: JSONValue) throws(ModelError) {
    guard case .object(let thread) = value else {
      throw .malformed("an item must be a JSON object, not \(value.kindName)")
    }
    let subject = thread.object("subject")
    let repository = thread.object("repository").flatMap { try? $0.text("full_name") }
    self.init(
      id: try thread.name("id"), revision: try thread.name("updated_at"),
      title: try subject?.text("title"), body: repository, thread: repository,
      url: try subject?.text("url"), isUnread: try thread.flag("unread") ?? true)
  }
}

extension JSONObject {
  /// Returns a required, non-empty text.
  ///
  /// A whole number is returned as its digits.
  fileprivate func name(_ name: String) throws(ModelError) -> String {
    switch self[name] {
    case .text(let text)? where !text.isEmpty: return text
    case .integer(let number)?: return "\(number)"
    case nil: throw .invalid(name, "is missing; an item needs it")
    case let value?:
      throw .invalid(name, "is \(value.isEmptyText ? "empty" : value.kindName); text is required")
    }
  }

  fileprivate func text(_ name: String) throws(ModelError) -> String? {
    switch self[name] {
    case .text(let text)?: text
    case nil, .null?: nil
    case let value?: throw .invalid(name, "is \(value.kindName); text is allowed")
    }
  }

  fileprivate func flag(_ name: String) throws(ModelError) -> Bool? {
    switch self[name] {
    case .bool(let flag)?: flag
    case nil, .null?: nil
    case let value?: throw .invalid(name, "is \(value.kindName); true or false is allowed")
    }
  }

  fileprivate func object(_ name: String) -> JSONObject? {
    if case .object(let object)? = self[name] { object } else { nil }
  }
}

extension JSONValue {
  fileprivate var isEmptyText: Bool { self == .text("") }
}
