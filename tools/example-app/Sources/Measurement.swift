#if Service
import Carillon
import CarillonService
import Foundation

/// Opens the stores of many people in turn, and prints what the open ones take.
struct Measurement {
  private let directory: URL
  private let personCount: Int
  private let openCount: Int
  private let pool: StorePool<String>

  init(_ directory: URL, personCount: Int, openCount: Int) {
    (self.directory, self.personCount) = (directory, personCount)
    self.openCount = min(personCount, openCount)
    pool = ExampleApp.pool(in: directory, maxCount: openCount)
  }

  func run() async throws {
    let before = ProcessNumbers()
    print("people  stores  memory KB  descriptors  threads")
    for round in ["created", "opened"] {
      for person in 0..<personCount {
        let store = try await pool.store(of: "person-\(person)")
        if round == "created" {
          _ = try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
        }
        _ = try await store.plan()
        if (person + 1) % max(1, personCount / 10) == 0 {
          show("\(person + 1) \(round)", since: before)
        }
      }
    }
    let after = ProcessNumbers()
    let each = { (value: Int) in String(format: "%.1f", Double(value) / Double(openCount)) }
    print(
      "each of \(openCount) open stores: \(each(after.memory - before.memory)) KB, "
        + "\(each(after.descriptors - before.descriptors)) descriptors, "
        + "\(each(after.threads - before.threads)) threads")
  }

  private func show(_ moment: String, since before: ProcessNumbers) {
    let now = ProcessNumbers()
    print(
      "\(moment)  \(openCount)  \(now.memory - before.memory)  "
        + "\(now.descriptors - before.descriptors)  \(now.threads - before.threads)")
  }
}

/// What this process takes from the system.
struct ProcessNumbers {
  /// The resident memory that is not backed by files, in KB.
  let memory: Int
  let descriptors: Int
  let threads: Int

  init() {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    func value(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
    (memory, threads) = (value("RssAnon"), value("Threads"))
    descriptors =
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}
#endif
