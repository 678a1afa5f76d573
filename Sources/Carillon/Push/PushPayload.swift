public import CarillonModel

/// What a remote notification's payload says: the dictionary `aps`, and the members beside it.
///
/// Reading never fails: bytes that are no such payload are `malformed`, with the reason.
/// - Source: Apple, "Generating a remote notification".
public struct PushPayload: Hashable, Sendable {
  /// What it asks for.
  public private(set) var kind = PushReceived.Kind.malformed
  /// Why it is malformed; nil where it is not.
  public private(set) var problem: String?
  /// The first line of what is to be shown.
  public private(set) var title: String?
  /// The line below the title.
  public private(set) var subtitle: String?
  /// The text.
  public private(set) var body: String?
  /// The number on the app's icon from now on: 0 takes it away, nil leaves it as it is.
  public private(set) var badge: Int?
  /// The name of the sound.
  public private(set) var sound: String?
  /// The name of its set of actions.
  public private(set) var category: String?
  /// What it is shown together with.
  public private(set) var thread: String?
  /// How much it may interrupt: `passive`, `active`, `time-sensitive` or `critical`.
  public private(set) var interruptionLevel: String?
  /// Whether the app may change it before it is shown.
  public private(set) var isMutable = false
  /// The members beside `aps`, as one JSON object; empty where there are none.
  public var custom: String { customMembers.description }

  package private(set) var customMembers = JSONObject()
  /// The id that the sender gave it: the member `carillon-id`.
  private(set) var ownID: String?

  /// Reads the bytes of a payload.
  public init(_ bytes: some Collection<UInt8>) {
    do {
      try read(JSONValue(parsing: bytes))
    } catch {
      kind = .malformed
      problem = error.message
    }
  }

  private mutating func read(_ value: JSONValue) throws(ModelError) {
    guard case .object(let payload) = value else {
      throw .malformed("a payload is an object in JSON, not \(value.kindName)")
    }
    customMembers = payload
    customMembers["aps"] = nil
    ownID = try? payload.text("carillon-id")
    guard let aps = payload["aps"] else { throw .malformed("aps is missing") }
    guard case .object(let aps) = aps else {
      throw .malformed("aps is \(aps.kindName); an object is needed")
    }
    try readShown(aps)
    category = try aps.text("category")
    thread = try aps.text("thread-id")
    interruptionLevel = try aps.text("interruption-level")
    isMutable = try aps.integer("mutable-content") == 1
    let isBackground = try aps.integer("content-available") == 1
    let isShown = aps["alert"] != nil || aps["badge"] != nil || aps["sound"] != nil
    switch (isShown, isBackground) {
    case (true, true): kind = .both
    case (true, false): kind = .alert
    case (false, true): kind = .background
    case (false, false):
      throw .malformed("aps holds neither alert, badge, sound nor content-available 1")
    }
  }

  /// Reads alert, badge and sound, each in one of its shapes.
  private mutating func readShown(_ aps: JSONObject) throws(ModelError) {
    switch aps["alert"] {
    case .text(let text)?: body = text
    case .object(let alert)?:
      title = try alert.text("title", or: "title-loc-key")
      subtitle = try alert.text("subtitle", or: "subtitle-loc-key")
      body = try alert.text("body", or: "loc-key")
    case nil: break
    case let value?: throw .malformed("alert is \(value.kindName); text or an object is needed")
    }
    let number = try aps.integer("badge")
    if let number, number < 0 { throw .malformed("badge is \(number); 0 or more is needed") }
    badge = number
    if case .object(let critical)? = aps["sound"] {
      sound = try critical.text("name")
    } else {
      sound = try aps.text("sound")
    }
  }
}

extension JSONObject {
  fileprivate func text(_ name: String) throws(ModelError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .text(let text) = value else {
      throw .malformed("\(name) is \(value.kindName); text is needed")
    }
    return text
  }

  /// A text, or the key by which the app finds it.
  fileprivate func text(_ name: String, or key: String) throws(ModelError) -> String? {
    if let text = try text(name) { return text }
    return try text(key)
  }

  fileprivate func integer(_ name: String) throws(ModelError) -> Int? {
    guard let value = self[name] else { return nil }
    guard case .integer(let number) = value else {
      throw .malformed("\(name) is \(value.kindName); a whole number is needed")
    }
    return Int(clamping: number)
  }
}
