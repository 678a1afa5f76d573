import Carillon
import CarillonTestSupport
import Foundation

/// `carillon-bench simulate FIRST COUNT [STORAGE]`: runs the simulations of `COUNT` seeds, starting
/// with `FIRST`.
enum SimulateVerb {
  static func run(_ arguments: Arguments) async throws {
    let first = UInt64(try arguments.number(0))
    let count = UInt64(try arguments.number(1))
    let name = arguments.count > 2 ? try arguments.text(2) : Store.Storage.standard.rawValue
    guard let storage = Store.Storage(rawValue: name) else {
      throw UsageError(index: 2, kind: "storage")
    }
    for seed in first..<(first + count) {
      var world = SimulatedWorld(seed: seed, storage: storage)
      try await world.run()
      if count == 1 {
        print("seed \(seed): \(world.transcript.map { String(format: "%02x", $0) }.joined())")
      } else if (seed - first + 1).isMultiple(of: 100) {
        print("seeds \(first) to \(seed): no failure")
        fflush(nil)
      }
    }
  }
}
