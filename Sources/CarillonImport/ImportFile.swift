import Carillon
import CarillonModel
import Foundation

/// Reads the files of an import, and creates errors that name them.
enum ImportFile {
  /// The maximum size of a text file, which is read into memory: some 600,000 rows or 100,000
  /// events.
  static let maxTextBytes = 64 << 20
  private static let pieceBytes = 1 << 20

  /// Returns all bytes of a text file.
  ///
  /// - Parameters:
  ///   - archiveHint: The hint to give if the file is a zip archive.
  ///   - check: Called with each piece before the next one is read.
  static func contents(
    of file: URL,
    archiveHint: String = "unpack it, and import the resulting folder",
    checkingEach check: (Data) throws -> Void = { _ in }
  ) throws -> [UInt8] {
    let handle = try open(file)
    defer { close(handle) }
    var bytes: [UInt8] = []
    while let piece = try read(pieceBytes, from: handle, of: file), !piece.isEmpty {
      if bytes.isEmpty, piece.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
        throw problem(file, "is a zip archive", hint: archiveHint)
      }
      try check(piece)
      bytes += piece
      guard bytes.count <= maxTextBytes else {
        throw problem(
          file, "has more than \(maxTextBytes) bytes", hint: "split it, and import the parts")
      }
    }
    return bytes
  }

  /// Returns the SHA-256 of a file of any size.
  static func digest(of file: URL) throws -> [UInt8] {
    let handle = try open(file)
    defer { close(handle) }
    var digest = ContentDigest()
    while let piece = try read(pieceBytes, from: handle, of: file), !piece.isEmpty {
      piece.withUnsafeBytes { digest.update($0) }
    }
    return digest.finalize()
  }

  /// Returns an error about an invalid file.
  static func problem(
    _ file: URL, _ message: String, hint: String = "export it again, and import the new file"
  ) -> StoreError {
    problem(named: file.lastPathComponent, message, hint: hint)
  }

  /// Returns an error about an invalid file, with a given name.
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
        code: .notFound, message: "there is no file \(path)", hint: "use the path of a file")
    }
    guard !isDirectory.boolValue else {
      throw problem(
        file, "is a directory", hint: "use the path of a file; only loop-csv accepts a folder")
    }
    // A pipe can be read only once, and a device may never end.
    let attributes = try FileManager.default.attributesOfItem(
      atPath: file.resolvingSymlinksInPath().path(percentEncoded: false))
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw problem(file, "is not a regular file", hint: "write it to a file, and import that")
    }
    do {
      return try FileHandle(forReadingFrom: file)
    } catch {
      throw unreadable(file, hint: "check its permissions", error)
    }
  }

  private static func read(_ count: Int, from handle: FileHandle, of file: URL) throws -> Data? {
    do {
      return try handle.read(upToCount: count)
    } catch {
      throw unreadable(file, hint: "copy it to another disk, and use the copy", error)
    }
  }

  private static func unreadable(_ file: URL, hint: String, _ cause: any Error) -> StoreError {
    StoreError(
      code: .io, message: "cannot read \(file.path(percentEncoded: false))", hint: hint,
      cause: cause)
  }

  /// Closes a file that was only read.
  ///
  /// An error when closing loses nothing and is ignored.
  private static func close(_ handle: FileHandle) {
    try? handle.close()
  }
}
