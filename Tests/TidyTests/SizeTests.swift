import Testing

/// Limits on the size of files, functions and lines.
struct SizeTests {
  @Test("No file has more than 500 lines", arguments: SourceTree.swift)
  func fileLength(_ file: SourceFile) {
    #expect(file.lines.count - 1 <= 500, "split \(file.path)")
  }

  @Test("No function has more than 70 lines", arguments: SourceTree.swift)
  func functionLength(_ file: SourceFile) {
    let long = FunctionLines.all(in: file.lines).filter { $0.lineCount > 70 }
    #expect(long.isEmpty, "\(file.path): \(long)")
  }

  @Test("No line has more than 100 columns")
  func lineLength() {
    let suffixes = [".swift", ".sql", ".proto", ".c", ".h", ".py"]
    let files = SourceTree.texts.filter { file in
      suffixes.contains { file.path.hasSuffix($0) } || !file.path.contains(".")
    }
    for file in files {
      let long = file.lines.indices.filter { file.lines[$0].count > 100 }
      #expect(long.isEmpty, "\(file.path), lines \(long.map { $0 + 1 })")
    }
  }

  @Test("Functions are measured from their declaration to their closing brace")
  func ranges() {
    let file = SourceFile(
      path: "Example.swift",
      text: """
        struct Example {
          var short: Int { 1 }
          var long: Int {
            if true {
              return 1
            }
            return 2
          }

          func wrapped(
            _ first: Int
          ) throws -> Int {
            first
          }
        }

        protocol Port {
          func absent(
            _ first: Int
          ) throws
          init(first: Int)
        }
        """)
    let counts = FunctionLines.all(in: file.lines).map(\.lineCount)
    #expect(counts == [6, 5])
  }
}
