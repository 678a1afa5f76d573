import Testing

@testable import CarillonModel

/// Expectations were computed with Python's hashlib.
@Suite struct EventChainTests {
  @Test("IDs follow from replica, sequence, timestamp, previous ID and payload")
  func chain() throws {
    let replica = try #require(ReplicaID(bytes: Array(0..<16)))
    let root = EventChain.root(of: replica)
    #expect(
      root.description == "d76bd79918c6bc1e679b7a97feb64cf71156fde1cd54dfc12e8fa6d7375043ad")
    let timestamp = Timestamp(rawValue: 1_795_000_000_000 << 16 | 5)
    let first = EventChain.id(
      sequence: .first, timestamp: timestamp, previous: root,
      payload: PayloadDigest(Array("payload".utf8)))
    #expect(
      first.description == "01a1ee565e00000596cfd1519b0eb2c785c6a6415115c3d6882d1a852437ddc3")
    let second = EventChain.id(
      sequence: SequenceNumber.first.next, timestamp: Timestamp(rawValue: timestamp.rawValue + 1),
      previous: first, payload: PayloadDigest([]))
    #expect(
      second.description == "01a1ee565e000006bef20d68606e7f030eb1085e8182626a19f6657bde9ee7b6")
    #expect(first < second)
  }
}
