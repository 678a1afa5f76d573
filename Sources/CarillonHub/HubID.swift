#if Service
internal import CarillonModel

/// Which hub a database has: random, and as durable as its people.
///
/// A copy of a database, such as one that was restored from a backup, has the same ID.
package struct HubID: Hashable, Sendable, CustomStringConvertible {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The first 8 bytes, by which people name a hub.
  package var description: String { bytes.prefix(8).hexadecimal }
}
#endif
