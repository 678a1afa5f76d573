import CarillonDocuments
import Testing

/// The use of a quota at a hub, in words.
struct ByteUseTests {
  @Test(
    "Bytes are shown in the unit of the quota",
    arguments: [
      (ByteUse(24_576, of: 30_000), "24.6 of 30.0 KB"), (ByteUse(7, of: 1), "7 bytes of 1"),
      (ByteUse(1, of: 900), "1 byte of 900"),
      (ByteUse(24_576, of: 256 << 20), "0.0 of 268.4 MB"),
      (ByteUse(1_500_000_000, of: 2_000_000_000), "1.5 of 2.0 GB"),
    ])
  func text(_ use: ByteUse, _ text: String) {
    #expect(use.text == text)
  }

  @Test(
    "What is left of a quota is shown in its own unit",
    arguments: [
      (ByteUse(24_576, of: 30_000), "5.4 KB"), (ByteUse(29_999, of: 30_000), "1 byte"),
      (ByteUse(30_000, of: 30_000), nil), (ByteUse(7, of: 1), nil),
    ])
  func remainder(_ use: ByteUse, _ text: String?) {
    #expect(use.remainder == text)
  }

  @Test("A field of an HTTP response has the use, and may have more")
  func field() {
    let use = ByteUse(24_576, of: 30_000)
    #expect(use.field == "bytes=24576, max-bytes=30000")
    for field in [use.field, "max-bytes=30000,bytes=24576,devices=2;x"] {
      #expect(ByteUse(field: field) == use)
    }
    for field in ["", "bytes=24576", "bytes=x, max-bytes=1", "bytes=-1, max-bytes=1", "=, ="] {
      #expect(ByteUse(field: field) == nil)
    }
  }

  @Test("A quota is nearly used up from 80 percent on")
  func near() {
    #expect(!ByteUse(23_999, of: 30_000).isNearQuota)
    #expect(ByteUse(24_000, of: 30_000).isNearQuota)
    #expect(ByteUse(40_000, of: 30_000).isNearQuota)
    #expect(ByteUse(40_000, of: 30_000).percent == 100)
    #expect(ByteUse(0, of: 0).percent == 100)
    #expect(ByteUse(24_576, of: 30_000).percent == 81)
  }
}
