import Carillon
import CarillonImport
import Foundation

/// The import of other apps' data.
enum ImportVerbs {
  /// `import BACKUP STORE`: imports a backup of Loop into a new store.
  static func loop(_ arguments: Arguments) async throws -> Measurement {
    let backup = URL(filePath: try arguments.text(0))
    let store = try await Store.create(
      at: arguments.directory(1), replica: "phone", role: .phone, options: Fixtures.options)
    var measurement = try await Measurement.timing(0) {
      _ = try await store.importHabits(from: backup, format: .loop)
    }
    measurement.count = Int(try store.log.lastPosition().rawValue)
    await store.close()
    return measurement
  }
}
