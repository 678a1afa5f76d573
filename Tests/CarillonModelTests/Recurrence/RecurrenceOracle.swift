import CarillonTestSupport
import Foundation
import Testing

@testable import CarillonModel

/// The output of `tools/oracle`: recurrences, and their instances from dateutil and zoneinfo.
struct RecurrenceOracle: Decodable {
  struct Vector: Decodable, CustomStringConvertible {
    let text: String
    let zone: String
    let from: String
    let to: String
    /// The first instances in `from..<to`, as civil times.
    let instances: [String]
    /// Whether these are all instances.
    let complete: Bool
    /// The instances in minutes since 1970 UTC, or nil if the zone skips the date.
    let instants: [Int?]

    var description: String { "\(text)\nfrom \(from) to \(to), \(zone)" }
  }

  let seed: Int
  let dateutil: String
  let tzdata: String
  let recurrences: [Vector]

  /// The repository's root, four levels above this file.
  static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  /// Reads the committed vectors.
  static func committed() throws -> RecurrenceOracle {
    try RecurrenceOracle(contentsOf: root.appending(path: "protocol/vectors/recurrences.json"))
  }

  /// Whether `tools/oracle` can make vectors here: python3 with dateutil is installed.
  static func isAvailable() async throws -> Bool {
    let process = try await ChildProcess(
      URL(filePath: "/usr/bin/env"), ["python3", "-c", "import dateutil"],
      environment: ProcessInfo.processInfo.environment, errors: URL(filePath: "/dev/null"))
    return try await process.end().status == 0
  }

  /// Makes vectors from a seed.
  static func made(count: Int, seed: UInt32) async throws -> RecurrenceOracle {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "carillon-oracle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      // If this fails, the system removes the folder eventually.
      try? FileManager.default.removeItem(at: folder)
    }
    let (file, errors) = (folder.appending(path: "vectors"), folder.appending(path: "errors"))
    let process = try await ChildProcess(
      root.appending(path: "tools/oracle"), ["--count", "\(count)", "--seed", "\(seed)"],
      environment: ProcessInfo.processInfo.environment, output: file, errors: errors)
    let ending = try await process.end()
    let said = try String(contentsOf: errors, encoding: .utf8)
    try #require(ending.status == 0, "\(said)")
    return try RecurrenceOracle(contentsOf: file)
  }

  private init(contentsOf file: URL) throws {
    self = try JSONDecoder().decode(RecurrenceOracle.self, from: Data(contentsOf: file))
  }
}

extension RecurrenceOracle.Vector {
  /// Returns a description of the difference, or nil if the recurrence agrees.
  func disagreement() throws -> String? {
    let recurrence = try Recurrence(parsing: text)
    guard Recurrence(recurrence.description) == recurrence else {
      return "\(recurrence) does not parse back to itself"
    }
    let from = try #require(CivilDateTime(from))
    let end = try #require(CivilDateTime(to))
    let found = Array(
      recurrence.instances(from: from).prefix(instances.count + 1).prefix { $0 < end })
    let texts = found.map(\.description)
    guard complete ? texts == instances : texts.starts(with: instances) else {
      return "\(texts) instead of \(instances)"
    }
    let expansion = RecurrenceExpansion(of: recurrence)
    let minutes = found.map(\.civilMinutes)
    let isSeekingSame = zip(minutes, minutes.dropFirst()).allSatisfy { minute, next in
      expansion.search(from: minute) == .found(minute)
        && expansion.search(from: minute + 1) == .found(next)
        && expansion.search(from: (minute + next + 1) / 2) == .found(next)
    }
    return isSeekingSame ? nil : "seeking finds other instances than stepping"
  }

  /// Whether the calendar returns the same instants.
  func instantsAgree() throws -> Bool {
    let calendar = CivilCalendar(zone: try #require(TimeZone(identifier: zone)))
    return instances.map { text in
      CivilDateTime(text).flatMap(calendar.instant(of:)).map { $0.seconds / 60 }
    } == instants
  }
}
