import CarillonTestSupport
import Testing

/// What the verbs say of the future, compared with what happens.
@Suite struct SpokenLifeTests {
  @Test("In a week of a person who makes mistakes, each sentence about the future is true")
  func sentences() async throws {
    var sentences = 0
    for seed in TestSeed.first(2) {
      var life = try await SpokenLife(seed: seed)
      try await life.live(acts: 30)
      sentences += life.sentences
      for falsehood in life.falsehoods.prefix(3) { Issue.record("seed \(seed): \(falsehood)") }
    }
    if TestSeed.isCampaign { print("\(sentences) sentences") }
    #expect(sentences > 0)
  }
}
