internal import CarillonModel

/// The format of the log in LMDB: version 3.
///
/// The log is one environment, the directory `log/` of the store directory, with five databases.
/// All integers are big-endian, so that LMDB's bytewise order is their numeric order.
///
/// - `events`: position u64 -> branch index u32, sequence u64, ID 32 bytes, payload.
/// - `branches`: branch index u32 -> `ReplicaID` 16 bytes, parent index u32, parent sequence u64
///   (0: no parent), head sequence u64, head ID 32 bytes, checksum 8 bytes over the key and all of
///   these fields.
/// - `runs`: branch index u32, first sequence u64 -> first position u64, count u64.
/// - `closings`: position u64 of an event that closes branches -> its branch index u32 and sequence
///   u64, then the same two fields of each event that it names, then a checksum, 8 bytes, over the
///   key and all of these fields.
/// - `meta`: a name -> see ``MetaKey``; one entry is a checksum over the others.
///
/// A checksum is the first 8 bytes of a SHA-256.
///
/// The top bit of an event's branch index is set for a redacted event, whose payload was erased. In
/// place of the payload it has the payload's digest, 32 bytes, and the ID of the erasing event, 32
/// bytes. An event whose content is missing has nothing after its ID.
///
/// A run is a range that is contiguous in sequence and in position. It is extended in place, so the
/// size of `runs` grows with the number of changes of writer and not with the number of events.
enum LogFormat {
  /// The version that this build writes and reads.
  static let version: UInt32 = 3

  /// Branch index 4, sequence 8, ID 32.
  static let eventHeaderByteCount = 44

  /// Digest 32, ID of the erasing event 32.
  static let redactedByteCount = 64

  /// Set in the branch index of a redacted event.
  static let redactedBit: UInt32 = 0x8000_0000

  /// ReplicaID 16, parent 4 + 8, head 8 + 32, checksum 8.
  static let branchByteCount = 76

  static let checksumByteCount = 8

  /// The greatest branch index.
  ///
  /// The bit above it marks redacted events.
  static let maxBranchIndex: UInt32 = 0x7FFF_FFFF

  /// The greatest sequence and position: half of the range, so that a sum of two cannot overflow.
  static let maxCounter: UInt64 = 1 << 62

  /// The name of the environment's directory in the store directory.
  static let directoryName = "log"
  /// The name of that directory while the store is being created.
  static let newDirectoryName = "log.new"

  /// The name of LMDB's data file in the environment's directory.
  static let dataFileName = "data.mdb"
  static let lockFileName = "lock.mdb"
  /// The name of the new data file during a compaction.
  static let compactedFileName = "data.mdb.compacted"

  /// The name of the file whose inode and creation time distinguish a copied directory from a moved
  /// one.
  static let markerFileName = "identity"
}

/// The databases of the environment, in the order in which they are opened.
enum LogDatabase: String, CaseIterable {
  case events, branches, runs, meta, closings

  /// The index in arrays that have one element for each database.
  var index: Int {
    switch self {
    case .events: 0
    case .branches: 1
    case .runs: 2
    case .meta: 3
    case .closings: 4
    }
  }
}

/// The entries of the database `meta`, by name.
enum MetaKey: String {
  /// u32: the version of the format.
  case format
  /// 16 bytes: the store's ID.
  case store
  /// 16 bytes: the `ReplicaID` that this log writes under.
  case replica
  /// 16 bytes: the previous `ReplicaID`; absent for a replica made by `create`.
  case predecessor
  /// inode u64, creation time in seconds i64 and nanoseconds u32 of the marker file.
  case marker
  /// u64: the generation of the projection file in use; absent for 0.
  case generation
  /// u32: the index of the branch of the log's own replica; all ones before its first event.
  case branch
  /// 8 bytes: the checksum over all other entries, known or not.
  case checksum
}

extension LogFormat {
  /// A checksum that is stored next to bytes, to detect that they changed.
  static func checksum(of bytes: [UInt8]) -> [UInt8] {
    Array(PayloadDigest(bytes).bytes.prefix(checksumByteCount))
  }
}
