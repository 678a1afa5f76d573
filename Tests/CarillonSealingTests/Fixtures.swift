import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonSealing

/// Keys, places and payloads of the tests.
enum Fixtures {
  static let store = StoreID(high: 0x1111_2222_3333_4444, low: 0x8555_6666_7777_8888)
  static let otherStore = StoreID(high: 0x1111_2222_3333_4444, low: 0x8555_6666_7777_8889)
  static let place = SealedPlace(
    store: store, replica: ReplicaID(high: 1, low: 2), sequence: SequenceNumber(rawValue: 7),
    timestamp: Timestamp(milliseconds: 1_795_431_600_000))

  /// A ring with the keys of the epochs 1 to `count`.
  static func ring(_ count: Int = 1) throws -> KeyRing {
    var ring = KeyRing(store: store)
    for number in 0..<count { try ring.add(key(UInt8(number + 1))) }
    return ring
  }

  static func key(_ number: UInt8, of store: StoreID = store) -> SealingKey {
    SealingKey(
      store: store, number: UInt32(number), secret: [UInt8](repeating: 0x40 + number, count: 32))
  }

  static func bytes(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }
}

/// Returns the code of the error that a body throws; nil if it throws none.
func code<Result>(_ body: () throws(SealingError) -> Result) -> SealingErrorCode? {
  do {
    _ = try body()
    return nil
  } catch { return error.code }
}
