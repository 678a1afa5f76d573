#if Service
package import CarillonLog
internal import CarillonWire

extension WriteRules {
  /// The rules of a hub's logs, which keep no payload that was erased.
  ///
  /// Devices list the erased events of a sealed store. In other stores, the log reads what an
  /// erasure covers.
  package static var hub: WriteRules {
    var rules = WriteRules()
    rules.obeysErasureLists = true
    rules.readPayload = { try? PayloadCoding.decode($0) }
    return rules
  }
}
#endif
