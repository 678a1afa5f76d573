import CarillonDocuments
import Testing

/// The use of a quota at a hub, in words.
struct ByteUseTests {
  @Test(
    "Bytes are shown in the unit of the quota",
    arguments: [
      (ByteUse(24_576, of: 30_000), "24.6 of 30.0 KB"), (ByteUse(7, of: 1), "7 of 1 byte"),
      (ByteUse(24_576, of: 256 << 20), "0.0 of 268.4 MB"),
      (ByteUse(1_500_000_000, of: 2_000_000_000), "1.5 of 2.0 GB"),
    ])
  func text(_ use: ByteUse, _ text: String) {
    #expect(use.text == text)
  }

  @Test("A quota is nearly used up from 80 percent on")
  func near() {
    #expect(!ByteUse(23_999, of: 30_000).isNearQuota)
    #expect(ByteUse(24_000, of: 30_000).isNearQuota)
    #expect(ByteUse(40_000, of: 30_000).isNearQuota)
  }
}
