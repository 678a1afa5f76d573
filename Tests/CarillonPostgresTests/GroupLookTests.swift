#if Service
import CarillonHub
import Foundation
import Testing

@testable import CarillonPostgres

/// Looks at the state of groups.
struct GroupLookTests {
  @Test("A silent group delays no other, is named, and is not asked again meanwhile")
  func silent() async throws {
    let looks = GroupLooks()
    let (gate, count) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    count.signal()
    for _ in 0..<2 {
      let groups = await looks.states(of: ["one", "two", "three"]) { name in
        if name == "two" {
          // Only the first look is not refused here.
          guard count.wait(timeout: .now()) == .success else { return HubGroup("again") }
          gate.wait()
        }
        return HubGroup(name, copyCount: 1)
      }
      #expect(groups.map(\.name) == ["one", "two", "three"])
      #expect(groups.map { $0.failure?.obstacle } == [nil, .silent, nil])
    }
    gate.signal()
    let groups = await looks.states(of: ["two"]) { HubGroup($0) }
    #expect(groups[0].failure == nil)
  }
}
#endif
