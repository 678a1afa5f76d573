public import CarillonModel

/// The payload of a remote notification: the dictionary `aps` and the members next to it.
///
/// Reading never fails. Bytes that are not such a payload are `malformed`, with the reason.
/// - Source: Apple, "Generating a remote notification".
public struct PushPayload: Hashable, Sendable {
  /// The kind of push.
  public private(set) var kind = PushReceived.Kind.malformed
  /// Why the payload is malformed; nil if it is not.
  package private(set) var problem: String?
  /// The title to show.
  public private(set) var title: String?
  /// The subtitle to show.
  package private(set) var subtitle: String?
  /// The text to show.
  public private(set) var body: String?
  /// The new number on the app's icon: 0 removes it, nil leaves it unchanged.
  package private(set) var badge: Int?
  /// The name of the sound.
  package private(set) var sound: String?
  /// The name of its notification category, which defines its actions.
  package private(set) var category: String?
  /// The thread in which the notification is grouped.
  package private(set) var thread: String?
  /// How much it may interrupt: `passive`, `active`, `time-sensitive` or `critical`.
  package private(set) var interruptionLevel: String?
  /// Whether the app may change the notification before it is delivered.
  package private(set) var isMutable = false
  /// The members next to `aps`, as one JSON object; empty if there are none.
  package var custom: String { customMembers.description }

  package private(set) var customMembers = JSONObject()
  /// The ID given by the sender in the member `carillon-id`.
  private(set) var ownID: String?

  /// Creates a value from the bytes of a payload.
  package init(_ bytes: some Collection<UInt8>) {
    do {
      try read(JSONValue(parsing: bytes))
    } catch {
      kind = .malformed
      problem = error.message
    }
  }

  private mutating func read(_ value: JSONValue) throws(ModelError) {
    guard case .object(let payload) = value else {
      throw .malformed("a payload must be a JSON object, not \(value.kindName)")
    }
    customMembers = payload
    customMembers["aps"] = nil
    ownID = try? payload.text("carillon-id")
    guard let aps = payload["aps"] else { throw .malformed("aps is missing") }
    guard case .object(let aps) = aps else {
      throw .malformed("aps is \(aps.kindName), not an object")
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
      throw .malformed("aps has none of alert, badge, sound and content-available 1")
    }
  }

  /// Reads alert, badge and sound, in any of their forms.
  private mutating func readShown(_ aps: JSONObject) throws(ModelError) {
    switch aps["alert"] {
    case .text(let text)?: body = text
    case .object(let alert)?:
      title = try alert.text("title", or: "title-loc-key")
      subtitle = try alert.text("subtitle", or: "subtitle-loc-key")
      body = try alert.text("body", or: "loc-key")
    case nil: break
    case let value?: throw .malformed("alert is \(value.kindName), not text or an object")
    }
    let number = try aps.integer("badge")
    if let number, number < 0 { throw .malformed("badge is \(number); it must be 0 or more") }
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
      throw .malformed("\(name) is \(value.kindName), not text")
    }
    return text
  }

  /// Returns a text, or the localization key under which the app finds it.
  fileprivate func text(_ name: String, or key: String) throws(ModelError) -> String? {
    if let text = try text(name) { return text }
    return try text(key)
  }

  fileprivate func integer(_ name: String) throws(ModelError) -> Int? {
    guard let value = self[name] else { return nil }
    guard case .integer(let number) = value else {
      throw .malformed("\(name) is \(value.kindName), not a whole number")
    }
    return Int(clamping: number)
  }
}
