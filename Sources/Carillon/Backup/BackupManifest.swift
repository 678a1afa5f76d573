internal import CarillonModel
internal import CarillonWire

/// The manifest of a backup: what each of its files contains.
///
/// `protocol/BACKUP.md` specifies the JSON form.
struct BackupManifest: FieldGroup {
  /// The version of the format.
  var version = Self.currentVersion
  /// The store that the events belong to.
  var store = StoreID.zero
  /// The files: a full backup, then the increments, in order.
  var files: [File] = []

  static let blank = BackupManifest()
  static let fileName = "manifest.json"
  /// The only version that this build writes and reads.
  static let currentVersion = 1
  private static let maxFiles = 100_000
  /// The greatest number of bytes or events of a file.
  fileprivate static let maxCount: Int64 = 1 << 45

  /// A file with the events that the files before it lack.
  struct File: FieldGroup {
    /// The file's name in the directory.
    var name = ""
    var byteCount: Int64 = 0
    /// The SHA-256 of the file's bytes.
    var digest: [UInt8] = []
    /// The number of events in the file.
    var eventCount = 0
    /// When the file was complete.
    var madeAt = Instant(milliseconds: 0)
    /// The device whose log was backed up.
    var replica = ReplicaID.zero
    /// The heads of all branches of the log, closed ones included.
    var heads: [Head] = []
    /// The events at which the branches that begin in the file leave others.
    var parents: [Head] = []
    /// The events of the file of which only the ID was known.
    var missing: [EventID] = []
    /// The number of damaged events at the ends of branches, which are not in the file.
    var leftOutCount = 0

    static let blank = File()

    mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
      try visitor.required(0, "name", &name)
      try visitor.required(0, "bytes", &byteCount)
      try visitor.bytes(0, "sha256", &digest, 32...32, as: .hexadecimal)
      try visitor.required(0, "events", &eventCount)
      try visitor.required(0, "madeAt", &madeAt)
      try visitor.required(0, "replica", &replica)
      try visitor.groups(0, "heads", &heads, count: 1...Int.max)
      try visitor.groups(0, "parents", &parents, count: 0...Int.max)
      try visitor.list(0, "missing", &missing, count: 0...Int.max)
      try visitor.required(0, "leftOut", &leftOutCount)
    }
  }

  mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(0, "carillonBackup", &version)
    try visitor.required(0, "store", &store)
    try visitor.groups(0, "files", &files, count: 1...Int.max)
  }
}

extension BackupManifest {
  /// Reads a manifest.
  ///
  /// - Throws: `corrupt`, naming the byte, the field or the version.
  init(json: [UInt8], in place: String) throws(StoreError) {
    func damaged(_ problem: String, cause: (any Error)? = nil) -> StoreError {
      StoreError(
        code: .corrupt, message: "\(place)/\(Self.fileName): \(problem)",
        hint: "use another backup", cause: cause)
    }
    do throws(ModelError) {
      let lines = json.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      guard lines.count == 3, lines[2].isEmpty,
        Array(lines[1]) == Self.checksumLine(of: lines[0])
      else { throw .malformed("it does not match the checksum in its second line") }
      guard case .object(let object) = try JSONValue(parsing: Array(lines[0])),
        case .integer(let version)? = object["carillonBackup"]
      else { throw .malformed("this is not the manifest of a backup") }
      guard version == Self.currentVersion else {
        throw .invalid("carillonBackup", "\(version); this build reads \(Self.currentVersion)")
      }
      self = try BackupManifest(json: object, as: "a manifest")
    } catch {
      throw damaged(error.message, cause: error)
    }
    for (index, file) in files.enumerated() {
      if let problem = file.problem(at: index) { throw damaged(problem) }
    }
    guard (1...Self.maxFiles).contains(files.count) else {
      throw damaged("it names \(files.count) files; 1 to \(Self.maxFiles) are allowed")
    }
  }

  /// The manifest as a line of JSON, and a second line with the SHA-256 of the first.
  var json: [UInt8] {
    let line = Array("\(jsonObject)".utf8)
    return line + [UInt8(ascii: "\n")] + Self.checksumLine(of: line[...]) + [UInt8(ascii: "\n")]
  }

  /// The second line of a manifest.
  static func checksumLine(of line: ArraySlice<UInt8>) -> [UInt8] {
    let object: JSONObject = JSONObject([
      ("sha256", .text(PayloadDigest(Array(line)).bytes.hexadecimal))
    ])
    return Array("\(object)".utf8)
  }

  /// The number of events in all files.
  var eventCount: Int { files.reduce(0) { $0 + $1.eventCount } }

  /// Returns the name of a file.
  static func name(at index: Int) -> String { "events-\(index + 1)" }
}

extension BackupManifest.File {
  /// Returns which value cannot be right of the file at an index, or nil.
  fileprivate func problem(at index: Int) -> String? {
    let expected = BackupManifest.name(at: index)
    guard name == expected else {
      return "file \(index + 1) is named \"\(name)\" instead of \(expected)"
    }
    let counts = [
      ("bytes", byteCount), ("events", Int64(eventCount)), ("leftOut", Int64(leftOutCount)),
    ]
    for (field, count) in counts where !(0...BackupManifest.maxCount).contains(count) {
      return "\(field) of \(name) is \(count); 0 to \(BackupManifest.maxCount) is allowed"
    }
    return heads.isEmpty ? "\(name) has no heads" : nil
  }
}
