import CarillonModel
import Foundation

/// Reads the files that an import is given, and names them where they are wrong.
enum ImportFile {
  /// A text is read into memory whole: some 600,000 rows, or 100,000 events.
  static let maxTextBytes = 64 << 20
  private static let pieceBytes = 1 << 20

  /// All bytes of a text.
  ///
  /// - Parameter archiveHint: What to do where it is packed.
  static func contents(
    of file: URL,
    archiveHint: String = "unpack it, and give the folder that comes of it"
  ) throws -> [UInt8] {
    let handle = try open(file)
    defer { close(handle) }
    let data = try handle.read(upToCount: maxTextBytes + 1) ?? Data()
    guard data.count <= maxTextBytes else {
      throw problem(
        file, "has more than \(maxTextBytes) bytes", hint: "split it, and import the parts")
    }
    if data.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      throw problem(file, "is a zip archive", hint: archiveHint)
    }
    return [UInt8](data)
  }

  /// SHA-256 of a file of any size.
  static func digest(of file: URL) throws -> [UInt8] {
    let handle = try open(file)
    defer { close(handle) }
    var digest = ContentDigest()
    while let piece = try handle.read(upToCount: pieceBytes), !piece.isEmpty {
      piece.withUnsafeBytes { digest.update($0) }
    }
    return digest.finalize()
  }

  /// A file that is not what it should be.
  static func problem(
    _ file: URL, _ message: String, hint: String = "export it again, and import the new file"
  ) -> StoreError {
    problem(named: file.lastPathComponent, message, hint: hint)
  }

  /// A file that is not what it should be, under a name of the caller's.
  static func problem(
    named name: String, _ message: String, hint: String = "export it again, and import the new file"
  ) -> StoreError {
    StoreError(code: .invalidValue, message: "\(name) \(message)", hint: hint)
  }

  private static func open(_ file: URL) throws -> FileHandle {
    let path = file.path(percentEncoded: false)
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw StoreError(
        code: .notFound, message: "there is no file \(path)", hint: "give the path of a file")
    }
    guard !isDirectory.boolValue else {
      throw problem(
        file, "is a directory", hint: "give the path of a file; only loop-csv takes a folder")
    }
    // A pipe could be read only once, and a device without end.
    let attributes = try FileManager.default.attributesOfItem(
      atPath: file.resolvingSymlinksInPath().path(percentEncoded: false))
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw problem(file, "is no regular file", hint: "write it to a file, and import that")
    }
    do {
      return try FileHandle(forReadingFrom: file)
    } catch {
      throw StoreError(
        code: .io, message: "\(path) cannot be read", hint: "check its permissions", cause: error)
    }
  }

  /// What was only read loses nothing where closing fails.
  private static func close(_ handle: FileHandle) {
    try? handle.close()
  }
}
