public import CarillonModel

extension FetchedItem {
  /// Reads an item of any source: an object with `id` and, as far as there are, `revision`,
  /// `title`, `body`, `thread`, `url` and `unread`; other members are for others.
  ///
  /// - Throws: `malformed` for what is no JSON, `invalidValue` naming the member.
  public init(json: some Collection<UInt8>) throws(ModelError) {
    let value = try JSONValue(parsing: json)
    guard case .object(let object) = value else {
      throw .malformed("an item is an object in JSON, not \(value.kindName)")
    }
    self.init(id: try object.name("id"))
    if object["revision"] != nil { revision = try object.name("revision") }
    title = try object.text("title")
    body = try object.text("body")
    thread = try object.text("thread")
    url = try object.text("url")
    isUnread = try object.flag("unread") ?? true
  }

  /// Reads what GitHub's notifications API answers: a list of threads, of which `id`, `updated_at`,
  /// `unread`, `subject` and `repository` are taken.
  ///
  /// - Throws: `malformed` for what is no JSON or no list, `invalidValue` naming the item by its
  ///   index from 0, and the member.
  public static func gitHub(_ json: some Collection<UInt8>) throws(ModelError) -> [FetchedItem] {
    let value = try JSONValue(parsing: json)
    guard case .array(let elements) = value else {
      throw .malformed("notifications are a list in JSON, not \(value.kindName)")
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
      throw .malformed("an item is an object in JSON, not \(value.kindName)")
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
  /// A text that must be there and not be empty; a whole number is taken as its digits.
  fileprivate func name(_ name: String) throws(ModelError) -> String {
    switch self[name] {
    case .text(let text)? where !text.isEmpty: return text
    case .integer(let number)?: return "\(number)"
    case nil: throw .invalid(name, "is missing; an item needs it")
    case let value?:
      throw .invalid(name, "is \(value.isEmptyText ? "empty" : value.kindName); text is needed")
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
