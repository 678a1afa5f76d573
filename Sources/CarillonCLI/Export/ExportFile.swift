import Foundation

/// The destination of an export: standard output, or a new file that only its owner can read.
struct ExportFile {
  /// The path of the file; nil for standard output.
  let path: String?

  /// Creates the file and calls a body that writes it.
  ///
  /// An existing file is never changed. A file that could not be written completely is removed.
  ///
  /// - Throws: `alreadyExists`, `io`, and the errors of the body.
  func write<Result>(_ body: (ByteOutput) async throws -> Result) async throws -> Result {
    guard let path else { return try await body(.standardOutput) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
    defer { close(descriptor) }
    do {
      let result = try await body(ByteOutput(descriptor: descriptor))
      guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.failure(path, errno) }
      return result
    } catch {
      unlink(path)
      throw error
    }
  }

  private static func failure(_ path: String, _ reason: Int32) -> CommandFailure {
    guard reason == EEXIST else {
      return .system("\(path) cannot be written", reason, hint: "give another file")
    }
    return CommandFailure(
      status: .cannotCreate, code: "alreadyExists", message: "\(path) already exists",
      hint: "give another name, or remove the file first")
  }
}
