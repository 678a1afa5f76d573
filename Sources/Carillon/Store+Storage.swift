internal import CarillonLMDB
internal import CarillonModel
public import Foundation

extension Store {
  /// How a store's log is kept in the files of its directory.
  public struct Storage: Hashable, Sendable, CustomStringConvertible {
    /// LMDB: an environment of several files, mapped into memory.
    public static let lmdb = Storage(LMDBLogStorage())

    /// The default of ``Store/create(at:replica:role:storeID:storage:options:)``.
    public static let standard = lmdb

    /// All storages of this build.
    public static let all = [lmdb]

    /// The logs of this storage.
    let logs: any LogStorage

    private init(_ logs: any LogStorage) {
      self.logs = logs
    }

    /// Detects the storage of the log in a directory, even if the log is unfinished or damaged; nil
    /// if there is no log.
    public init?(usedIn directory: URL) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
      guard let used = Self.all.first(where: { names.contains(where: $0.logs.owns) }) else {
        return nil
      }
      self = used
    }

    /// The name, such as `lmdb`.
    public var description: String { logs.name }

    /// Whether both are the same kind of storage.
    public static func == (first: Storage, second: Storage) -> Bool {
      first.logs.name == second.logs.name
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(logs.name)
    }
  }
}
