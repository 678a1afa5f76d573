internal import CarillonModel

/// How the log lies in LMDB: format version 3.
///
/// One environment, the directory `log/` of the store directory, with five databases. All integers
/// are big-endian, so that LMDB's bytewise order is their order.
///
/// - `events`: position u64 -> branch index u32, sequence u64, ID 32 bytes, payload.
/// - `branches`: branch index u32 -> `ReplicaID` 16 bytes, parent index u32, parent sequence u64
///   (0: no parent), head sequence u64, head ID 32 bytes, checksum 8 bytes over the key and all
///   that.
/// - `runs`: branch index u32, first sequence u64 -> first position u64, count u64.
/// - `closings`: position u64 of an event that closes branches -> its branch index u32 and sequence
///   u64, the same of each event that it names, checksum 8 bytes over the key and all that.
/// - `meta`: a name -> see ``MetaKey``; one of them is a checksum over the others.
///
/// A checksum is the first 8 bytes of a SHA-256.
///
/// The top bit of an event's branch index is set for a redacted event, whose payload was erased: in
/// place of the payload stand its digest, 32 bytes, and the ID of the erasing event, 32 bytes. Of
/// an event whose content is missing nothing stands behind the ID.
///
/// A run is a range contiguous in sequence and in position, and is extended in place, so that
/// `runs` grows with the changes of writer and not with the events.
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

  /// The greatest branch index; the bit above it marks redacted events.
  static let maxBranchIndex: UInt32 = 0x7FFF_FFFF

  /// The greatest sequence and position: half the range, so that sums of two cannot overflow.
  static let maxCounter: UInt64 = 1 << 62

  /// The directory of the environment in the store directory.
  static let directoryName = "log"
  /// What it is named while the store is being made.
  static let newDirectoryName = "log.new"

  /// LMDB's data file in the environment's directory.
  static let dataFileName = "data.mdb"
  static let lockFileName = "lock.mdb"
  /// What takes the data file's place when the log is compacted.
  static let compactedFileName = "data.mdb.compacted"

  /// The file whose inode and creation time tell a copied directory from a moved one.
  static let markerFileName = "identity"
}

/// The databases of the environment, in the order in which they are opened.
enum LogDatabase: String, CaseIterable {
  case events, branches, runs, meta, closings

  /// Its place in the arrays that hold something for each database.
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

/// What the database `meta` holds, by name.
enum MetaKey: String {
  /// u32: the format's version.
  case format
  /// 16 bytes: the store's ID.
  case store
  /// 16 bytes: under which name this log writes.
  case replica
  /// 16 bytes: the name before that; absent for a replica made by `create`.
  case predecessor
  /// inode u64, creation time in seconds i64 and nanoseconds u32 of the marker file.
  case marker
  /// u64: the generation of the projection file that serves; absent for 0.
  case generation
  /// u32: the index of the branch under the log's own name; all ones before the first own event.
  case branch
  /// 8 bytes: the checksum over all other entries, known or not.
  case checksum
}

extension LogFormat {
  /// What is kept beside bytes to notice that they changed.
  static func checksum(of bytes: [UInt8]) -> [UInt8] {
    Array(PayloadDigest(bytes).bytes.prefix(checksumByteCount))
  }
}
