/// How the log lies in SQLite: format version 1.
///
/// One file of pages of 4,096 bytes, in WAL mode. Blobs hold big-endian integers.
///
/// - `event`: one row an event. `payload` is NULL where the content is missing; where it was
///   erased, `payload` is its digest, 32 bytes, and `erasure` the ID of the erasing event, 32
///   bytes.
/// - `run`: events of one branch that are consecutive in sequence and in position; extended in
///   place, so that the table grows with the changes of writer and not with the events.
/// - `branch`, `closing`: the rows that all logs keep, each with a checksum.
/// - `meta`: a name and its value; one of them is a checksum over the others.
///
/// `user_version` counts the commits that brought no event. With the last position it makes the
/// number of the last commit, which so costs no page of its own.
enum LogFormat {
  /// The version that this build writes and reads.
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
  /// The name of that directory while the store is being created.
  static let newFileName = "log.new.sqlite"
  /// What SQLite keeps beside a file: the commits that are not yet in it, and their index.
  static let suffixes = ["-wal", "-shm"]
  /// The name of the file whose inode and creation time distinguish a copied directory from a moved
  /// one.
  ///
  /// Who makes a log holds its lock.
  static let markerFileName = "log.identity"

  /// The files of a log, under its name and under that of one that is being made.
  static let allFileNames: Set<String> = {
    let names = [fileName, newFileName].flatMap { name in [name] + suffixes.map { name + $0 } }
    return Set(names + [markerFileName])
  }()
}
