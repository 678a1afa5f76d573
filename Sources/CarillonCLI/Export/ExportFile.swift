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
    guard lstat(path, &status) != 0 else { throw Self.failure(path, EEXIST) }
    let draft = try FileDraft(of: path, as: "\(path).\(getpid()).part") {
      Self.failure(path, $0)
    }
    let result = try await body(ByteOutput(descriptor: draft.descriptor), draft.temporary)
    try draft.publish(replacing: false)
    return result
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
