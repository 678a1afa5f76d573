import Testing

/// Rings 1 and 2 receive time, random numbers and time zones; they never read them, and they never
/// wait.
struct PurityTests {
  private static let pure = SourceTree.sources.filter {
    ["CarillonModel", "CarillonWire", "CarillonSync", "CarillonSealing"].contains($0.module)
  }

  /// Code that reads the environment, as a pattern over code without comments and string literals.
  private static let readings = [
    #"\bDate\(\)"#, #"\bDate\.now\b"#, #"\bUUID\(\)"#, #"\b(Continuous|Suspending)Clock\b"#,
    #"\b(TimeZone|Calendar|Locale)\.(current|autoupdatingCurrent)\b"#, #"\bProcessInfo\b"#,
    #"\bFileManager\b"#, #"\bFileHandle\b"#, #"\bgetenv\b"#, #"\bclock_gettime\b"#,
    #"\.random\(in: [^,]*\)"#, #"\.shuffled\(\)"#, #"\.randomElement\(\)"#,
  ]

  @Test("Rings 1 and 2 read no clock, random numbers, time zone or file", arguments: pure)
  func readings(_ file: SourceFile) {
    for pattern in Self.readings {
      let found = file.matches(pattern, in: file.code)
      #expect(found.isEmpty, "\(found)")
    }
  }

  @Test("Only the creation of IDs uses the system's random numbers, and only by default")
  func chance() {
    let allowed = ["Sources/CarillonModel/Event/Identifier.swift"]
    for file in Self.pure where !allowed.contains(file.path) {
      let found = file.matches(#"\bSystemRandomNumberGenerator\b"#, in: file.code)
      #expect(found.isEmpty, "\(found)")
    }
  }

  @Test("The sync session never waits, and in the model only the ports do", arguments: pure)
  func waiting(_ file: SourceFile) {
    guard file.module != "CarillonWire", !file.isUnder("Sources/CarillonModel/Ports") else {
      return
    }
    let found = file.matches(#"\b(async|await|actor|Task)\b"#, in: file.code)
    #expect(found.isEmpty, "\(found)")
  }

  @Test("A library prints nothing", arguments: SourceTree.sources)
  func printing(_ file: SourceFile) {
    guard file.module != "CarillonCLI" else { return }
    let found = file.matches(#"(^|[^.\w])(print|debugPrint|dump)\("#, in: file.code)
    #expect(found.isEmpty, "\(found)")
  }
}
