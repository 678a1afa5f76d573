internal import CarillonLMDB
internal import CarillonModel
public import Foundation

extension Store {
  /// What keeps a store's log in the files of its directory.
  public struct Storage: Hashable, Sendable, CustomStringConvertible {
    /// LMDB: an environment of several files, mapped into memory.
    public static let lmdb = Storage(LMDBLogStorage())

    /// What ``Store/create(at:replica:role:storeID:storage:options:)`` takes by default.
    public static let standard = lmdb

    /// All storages of this build.
    public static let all = [lmdb]

    /// The logs of this storage.
    let logs: any LogStorage

    private init(_ logs: any LogStorage) {
      self.logs = logs
    }

    /// The storage of the log in a directory, also of one that is unfinished or damaged; nil where
    /// there is none.
    public init?(usedIn directory: URL) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
      guard let used = Self.all.first(where: { names.contains(where: $0.logs.owns) }) else {
        return nil
      }
      self = used
    }

    /// Its name, such as `lmdb`.
    public var description: String { logs.name }

    /// Whether both are the same kind of storage.
    public static func == (first: Storage, second: Storage) -> Bool {
      first.logs.name == second.logs.name
    }

    /// Feeds the name.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(logs.name)
    }
  }
}
