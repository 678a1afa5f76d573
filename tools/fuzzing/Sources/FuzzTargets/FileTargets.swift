import Carillon
import CarillonDocuments
import CarillonModel
import CarillonTestSupport
import Foundation

#if canImport(CarillonVerbs)
@testable import CarillonVerbs
#else
@testable import CarillonCLI
#endif

extension FuzzTarget {
  static let fileTargets = [
    FuzzTarget(
      name: "plan-list", maxByteCount: 4_096, seeds: Files.planSeeds, run: Files.readPlanList),
    FuzzTarget(
      name: "plan-file", maxByteCount: 4_096, seeds: Files.planSeeds, run: Files.readPlanFile),
    FuzzTarget(name: "lines", maxByteCount: 512, seeds: Files.lineSeeds, run: Files.readLines),
  ]
}

/// Files that verbs read.
private enum Files {
  private static let directory = Result { try TemporaryDirectory() }
  /// A Monday noon in winter.
  private static let noon = Instant(milliseconds: 1_795_431_600_000)
  private static let time = LocalTime(
    zone: TimeZone(identifier: "Europe/Berlin") ?? .gmt, now: noon)

  /// The system's list of requests for `plan --against`.
  static func readPlanList(_ bytes: UnsafeRawBufferPointer) {
    guard let document = try? JSONValue(parsing: bytes), let list = try? ScheduledList(document)
    else { return }
    let items: [JSON] = list.requests.map { request in
      let texts = [("id", request.id.description as String?), ("fingerprint", request.fingerprint)]
      return .object(texts.map { (key: $0, value: .text($1)) })
    }
    hold(
      (try? ScheduledList(.array(items)))?.requests == list.requests,
      "a list reads back equal: \(list.requests)")
  }

  /// The file of `plan --apply`: a written document reads back equal, also after time has passed.
  static func readPlanFile(_ bytes: UnsafeRawBufferPointer) throws {
    guard let value = try? JSONValue(parsing: bytes), var document = try? ScheduleDocument(value)
    else { return }
    hold(
      (try? ScheduledList(value)) != nil,
      "plan --against accepts every file that plan --apply accepts")
    let moments = [document.asOf, document.leaptFrom, document.setBackFrom].compactMap(\.self)
    if (moments + document.delivered.map(\.deliveredAt)).allSatisfy(isWritten) {
      // A file is written with the zone of the device.
      document.zone = time.zone
      let again = try ScheduleDocument(JSONValue(parsing: document.json(time).description.utf8))
      hold(again == document, "a file reads back equal: \(document)")
    }
    let count = document.pending.count
    let due = document.takeDue(noon, time)
    hold(document.pending.count + due.count >= count, "no request is lost")
    hold(due.allSatisfy { $0.firedAt <= noon }, "no request fires before its time")
    document.deliver(due)
    hold(
      Set(document.delivered.map(\.id)).isSuperset(of: due.map(\.entry.id)),
      "every due request is delivered")
    hold(
      document.nextFire.map { $0 > noon } ?? true,
      "the next request fires in the future")
  }

  /// Whether an instant is in the years of RFC 3339, in every time zone.
  private static func isWritten(_ instant: Instant) -> Bool {
    guard let first = Instant(rfc3339: "0001-01-02T00:00:00Z"),
      let last = Instant(rfc3339: "9999-12-31T00:00:00Z")
    else { return false }
    return (first..<last).contains(instant)
  }

  /// Lines of a file: each line that is not blank is returned once and unchanged, with its number.
  ///
  /// The first byte selects the pieces in which the file is read, and the limit is small, so that
  /// short files have lines at it and across pieces.
  static func readLines(_ bytes: UnsafeRawBufferPointer) throws {
    guard let size = bytes.first else { return }
    let content = Array(bytes.dropFirst())
    let file = try inputFile(content)
    _ = try ImportFileFormat(file.path)
    var reader = try file.lines(maxLineBytes: maxLineBytes, pieceBytes: Int(size) + 1)
    var lines = content.split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    for (index, given) in lines.enumerated() {
      guard given.count <= maxLineBytes else {
        hold((try? reader.next()) == nil, "line \(index + 1) is refused")
        return
      }
      let hasMark = index == 0 && given.starts(with: [0xEF, 0xBB, 0xBF])
      let line = given.dropFirst(hasMark ? 3 : 0)
      if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
      let next = try? reader.next()
      hold(next?.number == index + 1, "line \(index + 1) has its number")
      hold(next?.bytes == Array(line), "line \(index + 1) is returned, without a mark")
    }
    hold(try reader.next() == nil, "no more lines are returned than there are")
  }

  private static let maxLineBytes = 40

  /// Returns the one file of all inputs, with other contents.
  private static func inputFile(_ content: [UInt8]) throws -> InputFile {
    let (path, descriptor) = try file.get()
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, content, content.count, 0) >= 0 else {
      throw POSIXError(.EIO)
    }
    return try InputFile(path)
  }

  private static let file = Result {
    let path = try directory.get().url.appending(path: "lines").path
    return (path, open(path, O_RDWR | O_CREAT, 0o600))
  }

  // MARK: - Seeds

  static func planSeeds() throws -> [[UInt8]] {
    let content = #""content":{"title":"Walk","body":"B","data":{"k":"v"}},"fingerprint":"0a""#
    func entry(_ fireAt: String, _ trigger: String) -> String {
      let letter = Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(trigger.utf8.count % 26)))
      return #"{"id":"c1.aaaaaaaaaaaaaaa\#(letter)","title":"T","fireAt":"\#(fireAt)","#
        + #""trigger":"\#(trigger)",\#(content)}"#
    }
    let triggers = [
      "at 2026-11-23T12:00", "at 2026-11-23T12:00:30 Asia/Tokyo", "daily 07:30", "weekly 1 07:30",
      "monthly 15 07:30 UTC", "yearly 03-15 07:30", "every 3600",
      "place 52520000,13405000,200 entry",
    ]
    let entries = triggers.map { entry("2026-11-20T07:30:00+01:00", $0) }
    let list = "[\(entries.joined(separator: ","))]"
    let shown = #"[{"id":"c1.aaaaaaaaaaaaaaa2","title":null,"deliveredAt":"2026-11-23T11:00:00Z"}]"#
    return Vectors.texts(
      [
        "[]", #"[{"id":"x"},{"id":"y","fingerprint":null}]"#, list,
        #"{"pending":\#(list),"delivered":\#(shown),"badge":3,"asOf":"2026-11-23T11:00:00Z"}"#,
        #"{"pending":[\#(entry("0001-01-02T00:00:00Z", "every 60"))]}"#,
        #"{"pending":[\#(entry("1970-01-01T00:00:00Z", "daily 02:30"))]}"#,
      ] + entries.map { "[\($0)]" })
  }

  static func lineSeeds() throws -> [[UInt8]] {
    let texts = Vectors.texts([
      "", "\n", "a", "a\n\n \t\r\nb\r\n", "SQLite format 3\0", "\u{FEFF}begin:vcalendar\n",
      "\"HabitName\",x\n", "Position,Name,\n", "PK\u{3}\u{4}",
      String(repeating: "0123456789abcde\n", count: 20),
    ])
    let long = (maxLineBytes - 1...maxLineBytes + 1).flatMap { count -> [[UInt8]] in
      let line = [UInt8](repeating: 0x78, count: count)
      return [line, line + [0x0A], [0x0A] + line + [0x0A, 0x0A]]
    }
    return (texts + long).flatMap { [[0] + $0, [6] + $0, [255] + $0] }
  }
}
