import CarillonModel
import CarillonWire

extension NewEvent {
  /// Encodes and digests a payload.
  ///
  /// Encodes it a second time with its own time, for use if the log's clock is ahead.
  ///
  /// - Parameter now: The wall clock time of the event.
  /// - Throws: `invalidValue`, naming the field and the limit.
  init(_ payload: Payload, at now: Instant) throws(ModelError) {
    try payload.requireVisibleTitle()
    self.init(
      payload: try PayloadCoding.encode(payload),
      dated: try payload.dated(now).map(PayloadCoding.encode))
  }
}
