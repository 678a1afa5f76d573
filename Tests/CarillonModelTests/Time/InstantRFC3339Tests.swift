import CarillonModel
import Testing

@Suite("Instants as RFC 3339")
struct InstantRFC3339Tests {
  @Test(
    "An instant is formatted with its offset, and with milliseconds unless they are zero",
    arguments: [
      (0, 0, "1970-01-01T00:00:00Z"),
      (-1, 0, "1969-12-31T23:59:59.999Z"),
      (1_795_449_600_007, 3600, "2026-11-23T17:00:00.007+01:00"),
      (1_795_449_600_000, -12_600, "2026-11-23T12:30:00-03:30"),
      (0, -3_208, "1969-12-31T23:07:00-00:53"),
    ] as [(Int64, Int, String)])
  func written(milliseconds: Int64, offset: Int, text: String) {
    let instant = Instant(milliseconds: milliseconds)
    #expect(instant.rfc3339(offsetSeconds: offset) == text)
    if milliseconds >= 0 { #expect(Instant(rfc3339: text) == instant) }
  }

  @Test("Fractions of one to nine digits are parsed to the millisecond")
  func fractions() {
    let base: Int64 = 1_795_449_600_000
    #expect(Instant(rfc3339: "2026-11-23T16:00:00Z")?.milliseconds == base)
    #expect(Instant(rfc3339: "2026-11-23T16:00:00.5Z")?.milliseconds == base + 500)
    #expect(Instant(rfc3339: "2026-11-23T16:00:00.123456789Z")?.milliseconds == base + 123)
  }

  @Test(
    "Anything else is refused",
    arguments: [
      "", "2026-11-23", "2026-11-23T16:00Z", "2026-11-23T16:00:60Z", "2026-11-23T24:00:00Z",
      "2026-02-30T16:00:00Z", "2026-11-23T16:00:00", "2026-11-23T16:00:00.Z",
      "2026-11-23T16:00:00+1:00", "2026-11-23T16:00:00.0000000000Z", "2026-11-23T16:00:00Zx",
    ])
  func refused(text: String) {
    #expect(Instant(rfc3339: text) == nil)
  }

  @Test("The first and last instant can be formatted", arguments: [Int64.min, .max])
  func extremes(milliseconds: Int64) {
    #expect(Instant(milliseconds: milliseconds).rfc3339(offsetSeconds: 86_399).contains("T"))
  }
}
