import CarillonModel
import CarillonWire

extension NewEvent {
  /// Encodes and digests a payload, and once more as it is written where the log's clock is ahead.
  ///
  /// - Parameter now: The wall clock with which it is recorded.
  /// - Throws: `invalidValue` naming the field and the limit.
  init(_ payload: Payload, at now: Instant) throws(ModelError) {
    try payload.requireVisibleTitle()
    self.init(
      payload: try PayloadCoding.encode(payload),
      dated: try payload.dated(now).map(PayloadCoding.encode))
  }
}
