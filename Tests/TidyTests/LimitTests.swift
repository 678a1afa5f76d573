import Foundation
import Testing

/// The tables of limits in the guide, compared with the constants in the code.
struct LimitTests {
  private static let guide =
    SourceFile(
      path: "Sources/Carillon/Carillon.docc/Guides/Limits.md")?.lines ?? []

  /// Bounds that no caller meets: sizes of batches and buffers, and numbers of attempts.
  private static let internalBounds: Set = [
    "AccessFile.maxBytes", "AnswerPlan.maxRefusals", "AppendBatches.maxByteCount",
    "BackupWriter.maxBlockBytes", "PostgresPool.maxWriterThreads",
    "BackupWriter.maxBlockEvents",
    "CalendarLines.maxLineBytes", "CatchUp.maxEventsPerBatch", "ChainCheck.maxCandidates",
    "DecisionGroups.maxCount", "StatementCache.maxCount",
    "CommandOutput.maxBytes", "CommandOutput.maxLength", "CompactedCopy.maxByteCount",
    "Device.maxSkewSeconds", "EventPipeline.maxBatches", "DirectoryLock.maxLooks",
    "FileScheduler.maxLinks", "GroupLooks.maxThreads",
    "FrameReader.maxShownCharacters", "FrameReader.maxVersionDigits",
    "ImportFileFormat.maxBytes", "ImportPart.maxRowCount", "InviteLink.maxLength",
    "LogWriter.maxEventCount", "LoopNotes.maxNameCount", "MessageComposer.maxSmallBytes",
    "OpenConnections.maxRefused", "PostgresConnection.maxPrepared",
    "RateLimit.maxBuckets", "String.maxValueLength",
    "String.maxNearLength", "Notifier.limit", "Patience.maxPause", "SQLiteProjections.maxChecks",
    "SyncMessage.limit", "Peer.maxAnnouncements", "ExchangeTransport.maxFailures",
    "ExchangeTransport.maxPause", "JoinExchange.answerLimit", "JoinExchange.maxBytes",
    "CircuitBreaker.maxFailures", "LinkAsk.answerLimit", "LinkAsk.maxBodyBytes",
    "LinkProgram.answerLimit", "LinkProgram.maxAnswerBytes", "MessageRelay.maxAttempts",
    "MessageRelay.maxPause", "NewsReader.maxLineBytes", "ServiceConnection.maxAnswerBytes",
    "ErasureList.maxCount", "ErasureSearch.maxCount", "KeyFile.maxBytes",
    "NotedErasureList.maxWaiting",
    "Peer.maxDrops", "Peer.maxExpected", "Peer.maxTargets", "PeerWants.maxNamed",
    "PendingCache.maxBytes", "PendingCommand.reasonLimit", "PipeLoop.maxIncoming",
    "ProjectionBuild.maxRounds",
    "OpenLogs.maxCount", "PersonLogs.maxOpen", "PostgresGroups.maxFound", "PostgresMove.maxRest",
    "PostgresMove.maxRounds",
    "RunRow.inflatedLimit", "RunRow.maxByteCount", "RunRow.maxEventCount",
    "Recurrence.maxListed", "RequestTrigger.maxDays", "SQLiteProjections.maxEventsPerBatch",
    "SQLiteProjections.maxPayloadsPerBatch", "Recurrence.maxLooked", "SpokenWords.maxCount",
    "EntryKind.maxSubjectBytes", "WrittenRegisters.maxCount",
    "SyncPoint.maxBytes", "SyncInitiator.maxFruitless", "SyncInitiator.maxHelloHeads",
    "SyncInitiator.maxRepeats", "SyncInitiator.maxSparse", "SyncInitiator.maxUnconfirmed",
    "SyncLocator.maxOverhead", "SyncLocator.maxTotalBytes", "SyncMessage.maxHeads",
    "SyncRun.maxOverhead", "Tree.maxDepth", "WireField.maxNumber",
  ]

  @Test("The guide states the value of each limit as the code has it")
  func values() throws {
    let constants = Constants()
    #expect(Self.rows.count > 60)
    for row in Self.rows {
      let value = try #require(constants.value(of: row.constant), "\(row.constant)")
      #expect(row.value == value, "\(row.constant)")
    }
  }

  @Test("Each limit of the code is in the guide, or is a bound that no caller meets")
  func completeness() {
    let named = Set(Self.rows.map(\.constant))
    let found = Constants().names.filter { name in
      name.contains(/\.(max[A-Z]\w*|\w*[lL]imits?)$/)
    }
    #expect(found.subtracting(named).subtracting(Self.internalBounds).sorted() == [])
    #expect(Self.internalBounds.subtracting(found).sorted() == [])
    #expect(named.intersection(Self.internalBounds).sorted() == [])
  }

  /// The rows of the tables with constants.
  private static let rows = guide.compactMap { line -> (constant: String, value: [Int])? in
    let cells = line.components(separatedBy: " | ")
    guard cells.count == 5, let name = cells[2].wholeMatch(of: /`(\w+\.\w+)`/)?.output.1 else {
      return nil
    }
    return (String(name), cells[1].components(separatedBy: " to ").compactMap(number))
  }

  /// The number of a cell, such as `16,384`, `2^45` or `64 MiB`.
  private static func number(_ text: String) -> Int? {
    if let power = text.wholeMatch(of: /(\d+)\^(\d+)/),
      let base = Int(power.output.1), let exponent = Int(power.output.2)
    {
      return (0..<exponent).reduce(1) { product, _ in product * base }
    }
    if text.hasSuffix(" MiB") { return number(String(text.dropLast(4))).map { $0 << 20 } }
    return Int(text.replacing(",", with: ""))
  }
}

/// The static constants of the code, as text.
private struct Constants {
  /// The expression of each constant, by its type's and its own name.
  private var expressions: [String: String] = [:]

  var names: Set<String> { Set(expressions.keys) }

  private static var type: Regex<(Substring, Substring)> {
    /^ *(?:[a-z]+ )*(?:struct|enum|class|actor|extension|protocol) ([\w.]+)/
  }

  /// A static constant, or a property with a default that others can change.
  private static var declaration: Regex<(Substring, Substring, Substring)> {
    /^ *(?:(?:[a-z]+ )?static (?:let|var)|(?:package|public) var) (\w+)(?:: [\w<>]+)? [={] ([^}]+)/
  }

  init() {
    for file in SourceTree.sources {
      // The types around a line are those above it that are indented less.
      var types: [(indent: Int, name: String)] = []
      for line in file.lines {
        let indent = line.prefix { $0 == " " }.count
        if let found = line.firstMatch(of: Self.type) {
          types.removeAll { $0.indent >= indent }
          let name = found.output.1.split(separator: ".").last.map(String.init)
          types.append((indent, name ?? ""))
        } else if let found = line.firstMatch(of: Self.declaration),
          let type = types.last(where: { $0.indent < indent })
        {
          expressions["\(type.name).\(found.output.1)"] =
            found.output.2.trimmingCharacters(in: .whitespaces)
        }
      }
    }
  }

  /// Returns the value of a constant, or the bounds of a range.
  func value(of name: String) -> [Int]? {
    guard var text = expressions[name] else { return nil }
    if let seconds = text.wholeMatch(of: /Duration\.seconds\((.*)\)/) {
      text = String(seconds.output.1)
    }
    let parts = text.components(separatedBy: "...")
    let numbers = parts.compactMap(number)
    return numbers.count == parts.count ? numbers : nil
  }

  private func number(_ text: String) -> Int? {
    let text = text.replacing("_", with: "")
    if let shift = text.wholeMatch(of: /(\d+) << (\d+)/),
      let left = Int(shift.output.1), let right = Int(shift.output.2)
    {
      return left << right
    }
    if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16) }
    return Int(text) ?? value(of: text).flatMap { $0.count == 1 ? $0[0] : nil }
  }
}
