package import CarillonModel

extension FieldGroup {
  /// Reads a group from the text of a JSON object.
  ///
  /// Limits of values are not checked, except those of their types.
  ///
  /// - Parameter subject: The name of the object in messages.
  /// - Throws: `malformed` for text that is not a JSON object; `invalidValue` naming the field and
  ///   the allowed values, also for an unknown field.
  package init(json: [UInt8], as subject: String) throws(ModelError) {
    let value = try JSONValue(parsing: json)
    guard case .object(let object) = value else {
      throw .malformed("\(subject) must be a JSON object, not \(value.kindName)")
    }
    try self.init(json: object, as: subject)
  }

  /// Reads a group from a JSON object.
  ///
  /// - Parameter subject: The name of the object in messages.
  /// - Throws: `invalidValue`, as for text.
  package init(json object: JSONObject, as subject: String) throws(ModelError) {
    var (group, reader) = (Self.blank, JSONFieldReader(object, as: subject))
    try group.visitFields(&reader)
    try reader.finish()
    self = group
  }

  /// The JSON object of the group.
  package var jsonObject: JSONObject {
    var (copy, writer) = (self, JSONFieldWriter())
    do {
      try copy.visitFields(&writer)
    } catch {
      preconditionFailure("writing JSON failed: \(error)")
    }
    return writer.object
  }
}
