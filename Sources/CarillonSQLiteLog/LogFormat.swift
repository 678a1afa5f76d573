/// The layout of a log in SQLite: format version 1.
///
/// One file in WAL mode, with pages of 4,096 bytes. Blobs hold big-endian integers.
///
/// - `event`: one row per event. `payload` is NULL if the content is missing. If the payload was
///   erased, `payload` is its digest, 32 bytes, and `erasure` is the ID of the erasing event, 32
///   bytes.
/// - `run`: events of one branch that are consecutive in sequence and in position. A row is
///   extended in place, so the table grows with the number of changes of writer, not with the
///   number of events.
/// - `branch`, `closing`: the rows that every log keeps, each with a checksum.
/// - `meta`: names and values; one value is a checksum over the others.
///
/// `user_version` counts the commits that added no event. The sum of it and the last position is
/// the number of the last commit, so storing that number needs no page of its own.
enum LogFormat {
  /// The version that this build reads and writes.
  static let version: UInt32 = 1

  static let schema = """
    CREATE TABLE event(
      position INTEGER PRIMARY KEY, branch INTEGER NOT NULL, sequence INTEGER NOT NULL,
      id BLOB NOT NULL, payload BLOB, erasure BLOB) STRICT;
    CREATE TABLE run(
      branch INTEGER NOT NULL, sequence INTEGER NOT NULL, position INTEGER NOT NULL,
      count INTEGER NOT NULL, PRIMARY KEY (branch, sequence)) STRICT, WITHOUT ROWID;
    CREATE TABLE branch(number INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT;
    CREATE TABLE closing(position INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT;
    CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    """

  /// The log's file in the store directory.
  static let fileName = "log.sqlite"
  /// The file's name while the log is being created.
  static let newFileName = "log.new.sqlite"
  /// The suffixes of the files that SQLite keeps next to the log's file: the commits that are not
  /// yet in it, their index, and the journal of a new file's first commit.
  static let suffixes = ["-wal", "-shm", "-journal"]
  /// The name of the file whose inode and creation time distinguish a copied directory from a moved
  /// one.
  ///
  /// A process that creates a log holds a lock on it.
  static let markerFileName = "log.identity"

  /// The files of a complete log.
  ///
  /// The marker file is not among them, because it exists before the log is complete.
  static let fileNames = names(of: fileName)

  /// The files of a log that is being created.
  static let unfinishedNames = names(of: newFileName).union([markerFileName])

  private static func names(of file: String) -> Set<String> {
    Set([file] + suffixes.map { file + $0 })
  }
}
