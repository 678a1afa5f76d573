import Foundation
import Testing

/// Each layer speaks its own language: only the programs name commands and flags.
struct LayerTests {
  private static let library = SourceTree.sources.filter {
    !["CarillonCLI", "CarillonLink", "CarillonServe"].contains($0.module)
      && !$0.isUnder("Sources/CarillonDocuments/Programs")
  }

  @Test("No message or comment below the programs names a command or a flag")
  func commands() {
    #expect(Self.library.count > 300)
    for file in Self.library {
      for pattern in [#"\bcarillon [a-z]"#, #"(^|[^-A-Za-z0-9])--[a-z]"#] {
        let found = file.matches(pattern, in: file.lines)
        #expect(found.isEmpty, "\(found)")
      }
    }
  }

  /// The errors of a transport are its own; the store translates them.
  private static let transports = ["Sources/Carillon/Sync/PipeTransport.swift"]
  /// Functions that throw what a closure of their caller throws.
  private static let forwarding = ["public static func with<"]

  @Test("A public function of the store that throws is declared `throws(StoreError)`")
  func typedThrows() {
    let files = SourceTree.sources.filter {
      $0.module == "Carillon" && !Self.transports.contains($0.path)
    }
    #expect(files.contains { !Self.publicSignatures(of: $0).isEmpty })
    for file in files {
      let found = Self.publicSignatures(of: file).filter { signature in
        Self.isUntyped(signature) && !Self.forwarding.contains(where: signature.contains)
      }
      #expect(found.isEmpty, "\(file.path): \(found)")
    }
  }

  @Test(
    "An untyped `throws` is detected, also after a closure with a type of its own",
    arguments: [
      ("public func a(_ b: () throws(StoreError) -> Void) async throws {", true),
      ("public init(_ b: () throws -> Void) throws(StoreError) {", false),
      ("public static func a(\n    _ b: Int\n  ) throws -> Int {", true),
      ("public func a() throws(Failure) -> Int {", false), ("func a() throws {", false),
    ])
  func detection(text: String, isUntyped: Bool) {
    let signatures = Self.publicSignatures(of: SourceFile(path: "a.swift", text: text))
    #expect(signatures.contains(where: Self.isUntyped) == isUntyped)
  }

  /// The declarations of public functions up to their bodies, without what is in parentheses.
  private static func publicSignatures(of file: SourceFile) -> [String] {
    let code = file.code
    let starts = code.indices.filter {
      code[$0].range(of: #"\bpublic\b.*\b(func|init)\b"#, options: .regularExpression) != nil
    }
    return starts.map { start in
      var (depth, signature) = (0, "")
      for character in code[start...].joined(separator: "\n") {
        if character == ")" { depth -= 1 }
        if depth == 0 && character == "{" { break }
        if depth == 0 { signature.append(character) }
        if character == "(" { depth += 1 }
      }
      return signature
    }
  }

  private static func isUntyped(_ signature: String) -> Bool {
    signature.range(of: #"\bthrows\b(?!\()"#, options: .regularExpression) != nil
  }
}
