extension Payload {
  /// The same, saying that it happened at a moment.
  ///
  /// - Returns: Nil for a kind that has no such field, and for a payload that says when already.
  package func dated(_ moment: Instant) -> Payload? {
    switch self {
    case .entryRecorded(var entry) where entry.at == nil:
      entry.at = moment
      return .entryRecorded(entry)
    case .receiptAdvanced(var receipt) where receipt.at == nil:
      receipt.at = moment
      return .receiptAdvanced(receipt)
    case .responseRecorded(var response) where response.at == nil:
      response.at = moment
      return .responseRecorded(response)
    case .planSubmitted(var submitted) where submitted.at == nil:
      submitted.at = moment
      return .planSubmitted(submitted)
    case .permissionChanged(var changed) where changed.at == nil:
      changed.at = moment
      return .permissionChanged(changed)
    case .pushReceived(var push) where push.at == nil:
      push.at = moment
      return .pushReceived(push)
    default: return nil
    }
  }
}
