package import CarillonModel
internal import CarillonSQLiteLog
package import Foundation

#if LMDB
internal import CarillonLMDB
#endif

extension Store {
  /// The storage of a store's log in the files of its directory, identified by a name such as
  /// `sqlite`.
  public struct Storage: RawRepresentable, Hashable, Sendable {
    #if LMDB
    /// LMDB: a directory with files that are mapped into memory.
    public static let lmdb = Storage(LMDBLogStorage())

    /// All storages of this build; the first is the default.
    package static let allCases = [lmdb, sqlite]
    #else
    /// All storages of this build; the first is the default.
    package static let allCases = [sqlite]
    #endif

    /// SQLite: one file, with SQLite's own files next to it while the log is open.
    public static let sqlite = Storage(SQLiteLogStorage())

    /// The default of ``Store/create(at:replica:role:storeID:storage:options:)``.
    public static var standard: Storage { allCases[0] }

    /// The logs of this storage.
    package let logs: any LogStorage

    private init(_ logs: any LogStorage) {
      self.logs = logs
    }

    /// Creates the storage with a name; nil if this build has no storage with that name.
    public init?(rawValue: String) {
      guard let named = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
      self = named
    }

    /// Detects the storage of the log in a directory, even if the log is damaged; nil if there is
    /// none, only an unfinished one, or no such directory.
    ///
    /// - Throws: `readOnly` or `io` if the directory cannot be read; `unsupportedFormat` if this
    ///   build lacks the storage.
    package init?(usedIn directory: URL) throws(StoreError) {
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: directory.filePath)
      } catch let error as CocoaError where error.isMissingFile {
        return nil
      } catch {
        throw StoreError(translating: error)
      }
      let used = Self.allCases.first { storage in
        names.contains { storage.logs.owns($0) && !storage.logs.ownsUnfinished($0) }
      }
      guard let used else {
        try Self.requireNoLMDB(in: names, of: directory, by: Self.allCases)
        return nil
      }
      self = used
    }

    /// The directory of a log on LMDB, which a build without LMDB must recognize too.
    package static let lmdbDirectory = "log"

    /// - Throws: `unsupportedFormat` if the files include a log on LMDB and the build lacks it.
    package static func requireNoLMDB(
      in names: [String], of directory: URL, by storages: [Self]
    ) throws(StoreError) {
      guard names.contains(lmdbDirectory), storages.allSatisfy({ $0.rawValue != "lmdb" }) else {
        return
      }
      throw StoreError(
        code: .unsupportedFormat,
        message: "the log in \(directory.path) is stored in LMDB, which this build lacks",
        hint: "build with the trait LMDB")
    }

    /// The storage's name.
    public var rawValue: String { logs.name }
  }
}

extension CocoaError {
  /// Whether there is no file, or no directory, at the path.
  fileprivate var isMissingFile: Bool {
    let reason = (underlying as? POSIXError)?.code
    return code == .fileReadNoSuchFile || reason == .ENOENT || reason == .ENOTDIR
  }
}
