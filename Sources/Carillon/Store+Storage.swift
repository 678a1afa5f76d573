package import CarillonModel
internal import CarillonSQLiteLog
package import Foundation

#if LMDB
  internal import CarillonLMDB
#endif

extension Store {
  /// The storage of a store's log in the files of its directory, identified by a name such as
  /// `sqlite`.
  public struct Storage: RawRepresentable, CaseIterable, Hashable, Sendable {
    #if LMDB
      /// LMDB: a directory with files that are mapped into memory.
      public static let lmdb = Storage(LMDBLogStorage())

      /// All storages of this build; the first is the default.
      public static let allCases = [lmdb, sqlite]
    #else
      /// All storages of this build; the first is the default.
      public static let allCases = [sqlite]
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

    /// Detects the storage of the log in a directory, even if the log is unfinished or damaged; nil
    /// if there is none.
    package init?(usedIn directory: URL) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
      guard let used = Self.allCases.first(where: { names.contains(where: $0.logs.owns) }) else {
        return nil
      }
      self = used
    }

    /// The storage's name.
    public var rawValue: String { logs.name }
  }
}
