package import CarillonModel

/// The encoded fields of schedules, which projections store as they were written.
extension PayloadCoding {
  /// Returns the fields of a payload's content in order, each with its tag.
  ///
  /// - Throws: `malformed` for bytes that are not a payload.
  package static func encodedFields(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ModelError) -> [(number: Int, bytes: [UInt8])] {
    var fields: [(number: Int, bytes: [UInt8])] = []
    var (payload, last) = (WireReader(bytes), UInt32(0))
    while let part = try payload.next() {
      guard part.type == .bytes, Payload.Kind(rawValue: part.number) != nil else { continue }
      // The last kind counts, and a repeated kind is merged.
      if part.number != last { fields = [] }
      last = part.number
      var content = WireReader(part.bytes)
      while let field = try content.next() {
        fields.append((Int(field.number), Array(field.whole)))
      }
    }
    return fields
  }

  /// Decodes a schedule with the encoded value of one field; its other fields have their defaults.
  ///
  /// - Throws: `malformed` or `invalidValue` for a field that no readable event has.
  package static func schedule(
    _ id: ScheduleID, with field: ScheduleField, encoded: [UInt8]
  ) throws(ModelError) -> Schedule {
    try encoded.withUnsafeBufferPointer { bytes throws(ModelError) in
      var schedule = Schedule.standard(id)
      var reader = try ProtobufReader(UnsafeRawBufferPointer(bytes))
      if reader.visits(field.rawValue, field.numbers, isSet: false) {
        try schedule.visit(field, &reader)
      }
      return schedule
    }
  }

  /// Decodes a schedule from the encoded fields of several events; nil if they have no rule.
  ///
  /// - Throws: `malformed` or `invalidValue` for fields that no readable event has.
  package static func schedule(
    _ id: ScheduleID, encodedFields: [UInt8]
  ) throws(ModelError) -> Schedule? {
    try encodedFields.withUnsafeBufferPointer { bytes throws(ModelError) in
      var (schedule, hasRule) = (Schedule.standard(id), false)
      var reader = try ProtobufReader(UnsafeRawBufferPointer(bytes))
      for field in ScheduleField.allCases
      where reader.visits(field.rawValue, field.numbers, isSet: false) {
        try schedule.visit(field, &reader)
        if field == .rule { hasRule = true }
      }
      return hasRule ? schedule.reconciled : nil
    }
  }
}
