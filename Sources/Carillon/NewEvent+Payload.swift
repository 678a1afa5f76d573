import CarillonModel
import CarillonWire

extension NewEvent {
  /// Encodes and digests a payload.
  ///
  /// - Throws: `invalidValue` naming the field and the limit.
  init(_ payload: Payload) throws(ModelError) {
    try payload.requireVisibleTitle()
    self.init(payload: try PayloadCoding.encode(payload))
  }
}
