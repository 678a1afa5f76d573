import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Testing

extension History {
  /// Applies the events in every order, and expects one state and one digest.
  func expectOne(_ check: (StoreState) -> Void) async throws {
    let expected = ReferenceFold(events).state()
    check(expected)
    var digests: Set<StateDigest> = []
    for events in events.permutations() {
      try await Fixture.run(events) { fixture in
        let projections = try await fixture.open()
        let state = try await projections.state()
        #expect(state == expected, "\(events.map(\.sequence.rawValue))")
        digests.insert(try await projections.digest())
        // A repetition changes nothing.
        fixture.log.arrive(events)
        #expect(try await projections.state() == expected)
        digests.insert(try await projections.digest())
        await projections.close()
      }
    }
    #expect(digests.count == 1)
  }
}

extension Array {
  /// Returns the elements in every order.
  func permutations() -> [[Element]] {
    guard count > 1 else { return [self] }
    return indices.flatMap { index in
      var rest = self
      let first = rest.remove(at: index)
      return rest.permutations().map { [first] + $0 }
    }
  }
}
