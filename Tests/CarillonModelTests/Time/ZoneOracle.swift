import Foundation

/// The output of `tools/zone-oracle`: civil times around the offset changes of every zone.
struct ZoneOracle {
  /// One civil time and its instant, both in minutes.
  ///
  /// The civil time is counted as if in UTC.
  struct Probe {
    let civil: Int
    let instant: Int?
  }

  /// Zones with the same changes.
  struct Group {
    let names: [String]
    /// Minutes since 1970 UTC, and the number of the pattern.
    var changes: [(minute: Int, pattern: Int)] = []
  }

  private(set) var version = ""
  private(set) var patterns: [[Probe]] = []
  private(set) var groups: [Group] = []

  /// Reads the vectors of the tests.
  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Vectors/zones-2005-2036.txt")
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      read(line.split(separator: " "))
    }
  }

  /// Returns the civil times of a group and their instants.
  func probes(of group: Group) -> [Probe] {
    group.changes.flatMap { change in
      patterns[change.pattern].map {
        Probe(civil: change.minute + $0.civil, instant: $0.instant.map { change.minute + $0 })
      }
    }
  }

  private mutating func read(_ words: [Substring]) {
    switch words.first {
    case "#":
      if words.count == 3, words[1] == "tzdata" { version = String(words[2]) }
    case "pattern":
      patterns.append(words.dropFirst(2).map(Self.probe))
    case "zone":
      groups.append(Group(names: words.dropFirst().map(String.init)))
    default:
      var minute = 0
      for numbers in words.map({ $0.split(separator: ",").compactMap { Int($0) } }) {
        minute += numbers[0]
        groups[groups.count - 1].changes.append((minute, numbers[1]))
      }
    }
  }

  private static func probe(_ text: Substring) -> Probe {
    let numbers = text.split(separator: ":").map { Int($0) }
    return Probe(civil: numbers[0] ?? 0, instant: numbers[1])
  }
}
