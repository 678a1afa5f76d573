import Carillon
import CarillonDocuments
import CarillonLog
import CarillonModel
import Foundation

/// The destination of an export: standard output, or a new file that only its owner can read.
struct ExportFile {
  /// The path of the file; nil for standard output.
  let path: String?

  /// Creates the file and calls a body that writes it, through its descriptor or by its path.
  ///
  /// An existing file is never changed. The file gets its name once it is complete, so a killed
  /// export leaves at most a file that ends in `.part`.
  ///
  /// - Throws: `alreadyExists`, `io`, and the errors of the body.
  func write<Result>(
    _ body: (ByteOutput, String?) async throws -> Result
  ) async throws -> Result {
    guard let path else { return try await body(.standardOutput, nil) }
    var status = stat()
    guard lstat(path, &status) != 0 else { throw Self.exists(path) }
    do {
      let file = try NewFile(at: "\(path).\(getpid()).part")
      let result = try await body(ByteOutput(descriptor: file.descriptor), file.path)
      try file.finish(as: path)
      return result
    } catch let error as LogError {
      switch error.code {
      case .alreadyExists: throw Self.exists(path)
      case .notFound:
        throw CommandFailure.noDirectory(URL(filePath: path).deletingLastPathComponent().path)
      default: throw CommandFailure(store: StoreError(translating: error))
      }
    }
  }

  private static func exists(_ path: String) -> CommandFailure {
    CommandFailure(
      status: .cannotCreate, code: "alreadyExists", message: "\(path) already exists",
      hint: "give another name, or remove the file first")
  }
}
