internal import CarillonModel
internal import Foundation

extension SyncRun {
  /// Adds the identifiers of all payloads to a table.
  package func addIdentifiers(to table: inout IdentifierTable) {
    forEachPayload { table.add(payload: $0) }
  }

  fileprivate func forEachPayload(_ body: (UnsafeRawBufferPointer) -> Void) {
    payloads.withUnsafeBytes { payloads in
      var offset = 0
      for length in lengths {
        let end = offset + Int(length)
        body(UnsafeRawBufferPointer(rebasing: payloads[offset..<end]))
        offset = end
      }
    }
  }
}

/// Payloads without their identifiers, which are sent by number.
///
/// The runs of a message share one table. It begins with the dictionary, and each identifier that
/// is not in it is added where it is used first.
struct PayloadShortener {
  private var table: IdentifierTable
  private let dictionaryCount: Int
  private var next = 0

  init(_ dictionary: IdentifierTable) {
    table = dictionary
    dictionaryCount = dictionary.count
  }

  /// The identifiers that the dictionary lacks.
  var identifiers: Data {
    Data(table.identifiers[dictionaryCount...].flatMap(\.bytes))
  }

  /// Encodes the payloads of a run.
  mutating func encode(_ run: SyncRun, into wire: inout Carillon_V1_Run) {
    var short: [UInt8] = []
    short.reserveCapacity(run.payloads.count)
    run.forEachPayload { payload in
      IdentifierTable.split(payload) {
        short.append(contentsOf: $0)
        guard let identifier = $1 else { return }
        let number = table.number(adding: identifier)
        wire.identifiers.append(Int64(number - next))
        next = number + 1
      }
    }
    wire.shortPayloads = Data(short)
  }
}

/// The reverse of ``PayloadShortener``.
struct PayloadRestorer {
  private var known: [IdentifierTable.Element]
  /// The identifiers that the dictionary lacks and no run has used yet.
  private var new: ArraySlice<UInt8>
  private var next = 0

  init(_ dictionary: IdentifierTable, identifiers: Data) {
    known = dictionary.identifiers
    new = [UInt8](identifiers)[...]
  }

  /// Whether each of the identifiers was used.
  var isComplete: Bool { new.isEmpty }

  /// Returns the payloads of a run, concatenated; nil if its columns do not match its lengths or
  /// name an identifier that is not known.
  mutating func payloads(of wire: Carillon_V1_Run) -> [UInt8]? {
    var payloads: [UInt8] = []
    payloads.reserveCapacity(wire.lengths.reduce(0) { $0 + Int($1) })
    var numbers = wire.identifiers[...]
    let isIntact = wire.shortPayloads.withUnsafeBytes { short in
      var rest = UnsafeRawBufferPointer(rebasing: short[...])
      for length in wire.lengths {
        var left = Int(length)
        while let found = IdentifierTable.offset(in: rest, of: left) {
          guard let number = numbers.popFirst(), let identifier = identifier(number) else {
            return false
          }
          payloads.append(contentsOf: rest[..<found])
          identifier.withUnsafeBytes { payloads.append(contentsOf: $0) }
          rest = UnsafeRawBufferPointer(rebasing: rest[found...])
          left -= found + IdentifierTable.Element.byteCount
        }
        guard left <= rest.count else { return false }
        payloads.append(contentsOf: rest[..<left])
        rest = UnsafeRawBufferPointer(rebasing: rest[left...])
      }
      return rest.isEmpty
    }
    return isIntact && numbers.isEmpty ? payloads : nil
  }

  /// Returns the identifier with a number, given as the difference to the next one.
  private mutating func identifier(_ difference: Int64) -> IdentifierTable.Element? {
    let (sum, overflow) = difference.addingReportingOverflow(Int64(next))
    guard !overflow, let number = Int(exactly: sum), (0...known.count).contains(number) else {
      return nil
    }
    if number == known.count {
      let size = IdentifierTable.Element.byteCount
      guard let identifier = IdentifierTable.Element(bytes: new.prefix(size)) else { return nil }
      new.removeFirst(size)
      known.append(identifier)
    }
    next = number + 1
    return known[number]
  }
}
