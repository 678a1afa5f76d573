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

  /// The name of the environment's directory in the store directory.
  static let directoryName = "log"
  /// The name of that directory while the store is being created.
  static let newDirectoryName = "log.new"

  /// The name of LMDB's data file in the environment's directory.
  static let dataFileName = "data.mdb"
  static let lockFileName = "lock.mdb"
  /// The names of the files that every process with the log open must share.
  static let sharedFileNames = [dataFileName, lockFileName]
  /// The name of the new data file during a compaction.
  static let compactedFileName = "data.mdb.compacted"

  /// The name of the file whose inode and creation time distinguish a copied directory from a moved
  /// one.
  static let markerFileName = "identity"

  /// Returns the path of the marker file in a log's directory.
  static func marker(in directory: String) -> String { directory + "/" + markerFileName }
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
