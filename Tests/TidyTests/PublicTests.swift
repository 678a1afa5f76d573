import Testing

/// What `import Carillon` shows is chosen type by type; tools/public-api counts the declarations.
struct PublicTests {
  /// The port of event logs and what it speaks of; `import CarillonModel` shows it.
  private static let port: Set = [
    "AppendOutcome", "Branch", "BranchIndex", "DamagedEvent", "ErasedPayload", "EventChain",
    "EventLog", "EventReader", "EventRun", "Head", "HeldErasures", "IdentityAnnouncement",
    "LogError", "LogErrorCode", "NewEvent", "PayloadDigest", "RawEvent", "RecordOutcome",
    "Recorded", "RecordedEvent", "RedactedContent", "ReplicaIdentity",
  ]

  /// Types that an app does not name: subjects of IDs, and errors and protocols of lower rings.
  private static let unnamed: Set = [
    "ErrorCode", "ModelError", "ModelErrorCode", "Replica", "StoreSubject", "SyncError",
    "SyncErrorCode", "TextCodable",
  ]

  @Test("Carillon exports every public type of the modules below, except the port of event logs")
  func exports() throws {
    let file = try #require(SourceFile(path: "Sources/Carillon/Exports.swift"))
    let exported = file.code.compactMap { line in
      line.wholeMatch(of: /@_exported public import \w+ Carillon\w+\.(\w+)/)
        .map { String($0.output.1) }
    }
    #expect(Set(exported).count == exported.count, "a type is exported twice")
    let below = SourceTree.sources.filter { ["CarillonModel", "CarillonSync"].contains($0.module) }
    let declared = Set(below.flatMap(Self.types(in:)))
    #expect(Set(exported) == declared.subtracting(Self.port).subtracting(Self.unnamed))
  }

  @Test("Links in guides and in the documentation of public declarations name public symbols")
  func links() {
    let pages = SourceTree.texts.filter { $0.path.contains(".docc/") }.map {
      ($0, $0.lines.joined(separator: "\n"))
    }
    let comments = SourceTree.sources.filter { $0.module != "CarillonCLI" }.map {
      ($0, Self.publicComments(in: $0))
    }
    for (file, text) in pages + comments {
      for link in text.matches(of: /``([\w\/]+)(?:\([^`]*\))?(?:-[\w.]+)?``/) {
        let unknown = link.output.1.split(separator: "/").filter {
          !Self.publicNames.contains(String($0))
        }
        #expect(unknown.isEmpty, "\(file.path): \(link.output.0)")
      }
    }
  }

  /// The names of modules, of public declarations, of cases, and of requirements of protocols.
  private static let publicNames: Set<String> = {
    let declaration =
      /\bpublic .*?\b(?:class|struct|enum|protocol|typealias|func|var|let)\s+(\w+)/
    let member = /^ {2,4}(?:indirect |static |mutating )*(?:case|func|var|init)\s*(\w*)/
    var names: Set = ["init"]
    for file in SourceTree.sources {
      names.insert(file.module)
      var isInProtocol = false
      for line in file.code {
        if let found = line.firstMatch(of: declaration) { names.insert(String(found.output.1)) }
        if line.contains("public protocol ") { isInProtocol = true }
        if line.hasPrefix("}") { isInProtocol = false }
        guard let found = line.firstMatch(of: member) else { continue }
        let isCase = found.output.0.contains("case ")
        if isCase || isInProtocol { names.insert(String(found.output.1)) }
        guard isCase else { continue }
        for name in line.split(separator: ",") {
          names.insert(String(name.drop { !$0.isLetter }.prefix { $0.isLetter || $0.isNumber }))
        }
      }
    }
    return names
  }()

  /// Returns the documentation comments directly above public declarations.
  private static func publicComments(in file: SourceFile) -> String {
    var comments: [String] = []
    var comment: [String] = []
    for line in file.lines.map({ $0.drop { $0 == " " } }) {
      if line.hasPrefix("///") {
        comment.append(String(line))
      } else if !line.hasPrefix("@") {
        if line.hasPrefix("public ") { comments += comment }
        comment = []
      }
    }
    return comments.joined(separator: "\n")
  }

  private static func types(in file: SourceFile) -> [String] {
    let type = /public (?:final |indirect )*(?:class|struct|enum|protocol|typealias) (\w+).*/
    return file.code.compactMap { $0.wholeMatch(of: type).map { String($0.output.1) } }
  }
}
