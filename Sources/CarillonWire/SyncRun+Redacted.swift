internal import CarillonModel
internal import Foundation

/// The columns for redacted and missing events; each erasing event is named once.
extension SyncRun {
  func encodeRedacted(into wire: inout Carillon_V1_Run) {
    guard !redacted.isEmpty else { return }
    var places: [EventID: UInt32] = [:]
    for content in redacted {
      wire.erasedDigests.append(contentsOf: content.digest.bytes)
      if places[content.erasure] == nil {
        places[content.erasure] = UInt32(places.count)
        wire.erasures.append(contentsOf: content.erasure.bytes)
      }
    }
    guard places.count > 1 else { return }
    wire.erasurePlaces = redacted.compactMap { places[$0.erasure] }
  }

  /// Decodes the events that are IDs alone; returns nil if the columns are inconsistent.
  static func missing(_ wire: Carillon_V1_Run) -> [Missing]? {
    let (count, size) = (wire.missingPlaces.count, EventID.byteCount)
    guard wire.missingIds.count == count * size else { return nil }
    let ids = [UInt8](wire.missingIds)
    var found: [Missing] = []
    for (index, place) in wire.missingPlaces.enumerated() {
      guard place < wire.lengths.count - 1, wire.lengths[Int(place)] == 0,
        found.last.map({ $0.place < place }) ?? true
      else { return nil }
      let id = ids[index * size..<(index + 1) * size].withUnsafeBytes { EventID(loading: $0) }
      found.append(Missing(place: Int(place), id: id))
    }
    return found
  }

  /// Decodes the redacted contents; returns nil if the columns are inconsistent.
  static func redacted(_ wire: Carillon_V1_Run) -> [RedactedContent]? {
    let size = EventID.byteCount
    guard wire.erasedDigests.count.isMultiple(of: size), wire.erasures.count.isMultiple(of: size)
    else { return nil }
    let (count, erasureCount) = (wire.erasedDigests.count / size, wire.erasures.count / size)
    guard [0, count].contains(wire.erasurePlaces.count), erasureCount <= count,
      count == 0 || erasureCount > 0
    else { return nil }
    let (digests, erasures) = ([UInt8](wire.erasedDigests), [UInt8](wire.erasures))
    func part(_ bytes: [UInt8], _ index: Int) -> ArraySlice<UInt8> {
      bytes[index * size..<(index + 1) * size]
    }
    var found: [RedactedContent] = []
    for index in 0..<count {
      let place = wire.erasurePlaces.isEmpty ? 0 : Int(wire.erasurePlaces[index])
      guard place < erasureCount else { return nil }
      found.append(
        RedactedContent(
          digest: part(digests, index).withUnsafeBytes { PayloadDigest(loading: $0) },
          erasure: part(erasures, place).withUnsafeBytes { EventID(loading: $0) }))
    }
    return found
  }
}
