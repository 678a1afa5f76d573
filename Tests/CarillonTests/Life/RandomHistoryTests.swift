import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Random histories of a phone and a watch: all verbs, travels, edits, snoozes, permission, syncs.
@Suite struct RandomHistoryTests {
  private static let steps = 60

  @Test(
    "After any history, also of a sealed store, the plan is that of the events",
    arguments: [false, true])
  func histories(isSealed: Bool) async throws {
    for seed in TestSeed.first(isSealed ? 2 : 4) {
      try await withTemporaryDirectory { directory in
        let history = try await RandomHistory(seed: seed, in: directory, isSealed: isSealed)
        do {
          try await play(history, seed)
        } catch {
          Issue.record("seed \(seed): \(error)\n\(history.lines.joined(separator: "\n"))")
        }
        await history.close()
      }
    }
  }

  private func play(_ history: RandomHistory, _ seed: UInt64) async throws {
    for step in 0..<Self.steps {
      let changed = try await history.step()
      var violations: [String] = []
      var properties: [HistoryProperties] = []
      for index in changed {
        let of = try await HistoryProperties(&history.devices[index])
        try await of.check()
        violations += of.violations.map { "\(index == 0 ? "phone" : "watch"): \($0)" }
        properties.append(of)
      }
      if properties.count == 2 {
        violations += try await HistoryProperties.compare(properties[0], properties[1])
      }
      if step % 6 == 5 { violations += try await converge(history, changed[0]) }
      guard violations.isEmpty else {
        let told = history.lines.suffix(TestSeed.isCampaign ? 200 : 20)
        let text = (violations + told).joined(separator: "\n")
        Issue.record("seed \(seed), step \(step): \(text)")
        return
      }
    }
    let twice = await history.rangTwice()
    #expect(twice.isEmpty, "seed \(seed): \(twice)")
  }

  /// Checks that a system holds the plan once it was applied, and that applying it again changes
  /// and writes nothing.
  private func converge(_ history: RandomHistory, _ index: Int) async throws -> [String] {
    let device = history.devices[index]
    history.note(index, "converges")
    let first = try await device.store.apply(to: device.scheduler)
    var violations: [String] = []
    if !first.isComplete { violations.append("the system refused: \(first.failures)") }
    let plan = try await device.store.plan()
    let wanted = plan.blocked == nil ? Set(plan.requests.map(\.id)) : []
    let held = Set(await device.scheduler.scheduled().compactMap(\.id.request))
    if held != wanted { violations.append("the system holds \(held), not \(wanted)") }
    let position = try device.store.lastPosition()
    let changes = await device.scheduler.system.changeCount
    let again = try await device.store.apply(to: device.scheduler)
    let changed = await device.scheduler.system.changeCount
    if changes != changed { violations.append("applied twice: \(again)") }
    if try device.store.lastPosition() != position {
      violations.append("written twice: \(again.written)")
    }
    return violations
  }
}

extension RandomHistory {
  /// Returns what one system fired twice: occurrences with their revisions, except those that it
  /// repeats.
  func rangTwice() async -> [String] {
    var twice: [String] = []
    for device in devices {
      var seen: Set<OccurrenceID> = []
      for firing in await device.scheduler.system.firings {
        guard let request = await device.scheduler.request(of: firing), !request.repeats,
          request.id.kind != .openApp
        else { continue }
        if !seen.insert(request.occurrence).inserted {
          twice.append("\(request.occurrence) at \(firing.at)")
        }
      }
    }
    return twice
  }
}
