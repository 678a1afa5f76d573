internal import CarillonModel

/// Maps the fields of a value to the members of a JSON object, in either direction.
///
/// A kind of payload names each of its fields once, and that one list writes and reads it: while
/// writing, a field's value is appended to the object; while reading, the value is replaced by what
/// the object holds.
struct JSONForm {
  /// What is mapped, for messages: `entry.recorded`.
  private let subject: String
  let isReading: Bool
  private(set) var object: JSONObject
  /// The names of the fields so far, in order.
  private var names: [String] = []

  /// A form that writes.
  init(writing subject: String) {
    self.subject = subject
    isReading = false
    object = JSONObject()
  }

  /// A form that reads; `names` are members that were read already.
  init(reading object: JSONObject, as subject: String, after names: [String] = []) {
    self.subject = subject
    isReading = true
    self.object = object
    self.names = names
  }

  /// A field that must be there.
  mutating func required<Value: JSONConvertible>(
    _ name: String, _ value: inout Value
  ) throws(ModelError) {
    var found: Value? = value
    try optional(name, &found)
    guard let found else {
      throw .invalid(name, "is missing; \(subject) needs \(Value.allowed)")
    }
    value = found
  }

  /// A field that is left out where it has its default; writing gives it all the same.
  mutating func defaulted<Value: JSONConvertible>(
    _ name: String, _ value: inout Value, _ standard: @autoclosure () -> Value
  ) throws(ModelError) {
    var found: Value? = value
    try optional(name, &found)
    value = found ?? standard()
  }

  /// A field that may be absent.
  mutating func optional<Value: JSONConvertible>(
    _ name: String, _ value: inout Value?
  ) throws(ModelError) {
    names.append(name)
    guard isReading else {
      object[name] = value?.json
      return
    }
    guard let json = object[name] else {
      value = nil
      return
    }
    guard let found = Value(json: json) else {
      throw .invalid(name, "is \(Self.excerpt(json)); \(Value.allowed) is allowed")
    }
    value = found
  }

  /// A field that must be there and is an object with fields of its own.
  mutating func object<Value>(
    _ name: String, _ value: inout Value,
    _ fields: (inout Value, inout JSONForm) throws(ModelError) -> Void
  ) throws(ModelError) {
    var object = JSONObject()
    if !isReading {
      var form = JSONForm(writing: name)
      try fields(&value, &form)
      object = form.object
    }
    try required(name, &object)
    guard isReading else { return }
    var form = JSONForm(reading: object, as: name)
    try fields(&value, &form)
    try form.finish()
  }

  /// A field that is a list of objects with fields of their own.
  mutating func nested<Value>(
    _ name: String, _ values: inout [Value], blank: Value,
    _ fields: (inout Value, inout JSONForm) throws(ModelError) -> Void
  ) throws(ModelError) {
    var list: [JSONObject]? = try values.map { value throws(ModelError) in
      var (value, form) = (value, JSONForm(writing: name))
      try fields(&value, &form)
      return form.object
    }
    try optional(name, &list)
    guard isReading else { return }
    guard let list else { throw .invalid(name, "is missing; \(subject) needs it") }
    values = try list.map { object throws(ModelError) in
      var (value, form) = (blank, JSONForm(reading: object, as: name))
      try fields(&value, &form)
      try form.finish()
      return value
    }
  }

  /// Refuses members that are no field.
  func finish() throws(ModelError) {
    guard isReading, let stranger = object.members.first(where: { !names.contains($0.name) })
    else { return }
    throw .invalid(
      stranger.name, "is no field of \(subject), which has \(names.joined(separator: ", "))")
  }

  /// A value for a message: as it stands, or what it is where that is long.
  private static func excerpt(_ json: JSONValue) -> String {
    let text = json.description
    return text.utf8.count <= 40 ? text : json.kindName
  }
}

extension JSONObject: JSONConvertible {
  static var allowed: String { "an object" }

  var json: JSONValue { .object(self) }

  init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    self = object
  }
}
