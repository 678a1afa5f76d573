internal import CarillonModel

/// What was erased.
extension PayloadForm {
  static let erasureBlank = Payload.dataErased(Erasure(.habit(HabitID(high: 0, low: 0))))

  static func dataErased(
    _ erasure: inout Erasure, _ form: inout JSONForm
  ) throws(ModelError) {
    var parts = form.isReading ? ErasureParts() : ErasureParts(erasure)
    try form.optional("habit", &parts.habit)
    try form.optional("source", &parts.source)
    try form.optional("receiptsOf", &parts.receiptsOf)
    try form.optional("upTo", &parts.upTo)
    erasure = try Erasure(parts)
  }
}
