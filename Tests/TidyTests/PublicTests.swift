import Testing

/// What `import Carillon` shows is chosen type by type; tools/public-api counts the declarations.
struct PublicTests {
  /// The port of event logs and what it speaks of; `import CarillonModel` shows it.
  private static let port: Set = [
    "AppendOutcome", "Branch", "BranchIndex", "DamagedEvent", "ErasedPayload", "EventChain",
    "EventLog", "EventReader", "EventRun", "Head", "HeldErasures", "IdentityAnnouncement",
    "LogError", "NewEvent", "PayloadDigest", "RawEvent", "RecordOutcome", "Recorded",
    "RecordedEvent", "RedactedContent", "ReplicaIdentity",
  ]

  /// Types that an app does not name: subjects of IDs, and errors and protocols of lower rings.
  private static let unnamed: Set = [
    "ModelError", "Replica", "StoreSubject", "SyncError", "TextCodable",
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

  private static func types(in file: SourceFile) -> [String] {
    let type = /public (?:final |indirect )*(?:class|struct|enum|protocol|typealias) (\w+).*/
    return file.code.compactMap { $0.wholeMatch(of: type).map { String($0.output.1) } }
  }
}
