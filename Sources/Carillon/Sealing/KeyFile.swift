import CarillonLog
import CarillonModel
import CarillonSealing
import CarillonWire
import Foundation

/// The file of a sealed store that has its keys: `keys` in the store's directory.
///
/// Only the owner can read it. Whoever has it reads the store, so it is in no backup.
struct KeyFile: FieldGroup {
  var version = Self.currentVersion
  /// The store whose keys these are.
  var store = StoreID.zero
  /// The private key of this device.
  var device: [UInt8] = []
  /// The keys of the store, as ``KeyRing/bytes``.
  var ring: [UInt8] = []
  /// Whether no new store may replace the keys: they were received, or their store is complete.
  var isKept = false
  /// The positions of the events about keys among those that were read.
  var statements: [Int64] = []
  /// The last position that was read for such events.
  var position: Int64 = 0
  /// The event at that position; zero before the first.
  var event = EventID(words: (0, 0, 0, 0))
  /// The epochs of events that could not be opened when they were read, 8 bytes each.
  var unopened: [UInt8] = []

  static let blank = KeyFile()
  /// The name in the store's directory.
  static let name = "keys"
  /// The only version that this build writes and reads.
  private static let currentVersion = 1
  /// The largest file that is read.
  static let maxBytes: Int64 = 1 << 20

  mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(0, "carillonKeys", &version)
    try visitor.required(0, "store", &store)
    try visitor.bytes(0, "device", &device, 32...32, as: .hexadecimal)
    try visitor.bytes(0, "ring", &ring, 0...Self.maxBytes, as: .hexadecimal)
    try visitor.required(0, "kept", &isKept)
    try visitor.list(0, "statements", &statements, count: 0...Int.max)
    try visitor.required(0, "position", &position, 0...Int64.max)
    try visitor.required(0, "event", &event)
    try visitor.bytes(0, "unopened", &unopened, 0...Self.maxBytes, as: .hexadecimal)
  }

  /// Returns the path of the file in a store's directory.
  static func path(in directory: URL) -> String {
    directory.appending(path: name).path
  }

  /// Whether a file in a store's directory is this file, or one that a killed process left behind
  /// while it wrote it.
  static func isFile(_ name: String) -> Bool {
    name == Self.name || name.hasPrefix(Self.name + ".")
  }

  /// Reads the file; nil if there is none.
  ///
  /// - Throws: `corrupt`, `unsupportedFormat`, `readOnly`, `io`; `invalidValue` if others can read
  ///   the file.
  static func read(in directory: URL) throws(StoreError) -> KeyFile? {
    let path = path(in: directory)
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno != ENOENT, errno != ENOTDIR else { return nil }
      throw StoreError(
        code: .init(errno: errno),
        message: "cannot open \(path): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= maxBytes
    else { throw damaged(path, "it is not a file of at most \(maxBytes) bytes") }
    guard status.st_mode & 0o077 == 0 else {
      throw StoreError(
        code: .invalidValue, message: "\(path) can be read or written by other users",
        hint: "take their permission away: chmod 600 \(path)")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else {
      throw damaged(path, "it was cut while it was read")
    }
    return try KeyFile(bytes, at: path)
  }

  /// Reads the content of the file: a line of JSON, and a line with its checksum.
  init(_ bytes: [UInt8], at path: String) throws(StoreError) {
    do throws(ModelError) {
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      guard lines.count == 3, lines[2].isEmpty,
        Array(lines[1]) == BackupManifest.checksumLine(of: lines[0])
      else { throw .malformed("it does not match the checksum in its second line") }
      self = try KeyFile(json: Array(lines[0]), as: "the keys")
    } catch {
      throw Self.damaged(path, error.message)
    }
    guard version == Self.currentVersion else {
      throw StoreError(
        code: .unsupportedFormat,
        message: "\(path) has version \(version); this build reads \(Self.currentVersion)")
    }
  }

  /// Creates the value that holds nothing.
  init() {}

  /// The content of the file.
  var bytes: [UInt8] {
    let line = Array("\(jsonObject)".utf8)
    return line + [UInt8(ascii: "\n")] + BackupManifest.checksumLine(of: line[...])
      + [UInt8(ascii: "\n")]
  }

  /// Writes the file, durably, in place of an earlier one.
  ///
  /// - Throws: `readOnly`, `full`, `io`.
  func write(in directory: URL) throws(LogError) {
    let path = Self.path(in: directory)
    let file = try NewFile(at: "\(path).\(UUID().uuidString)")
    try file.write(bytes)
    try file.finish(replacing: path)
  }

  /// Removes the file, and what a killed process left behind while it wrote it.
  static func remove(in directory: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where isFile(name) { unlink(directory.appending(path: name).path) }
  }

  private static func damaged(_ path: String, _ problem: String) -> StoreError {
    StoreError(
      code: .corrupt, message: "\(path) is damaged: \(problem)",
      hint: "remove it, and recover the store with its phrase, or from another device")
  }
}
