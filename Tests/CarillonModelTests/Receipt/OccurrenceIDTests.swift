import CarillonModel
import Testing

@Suite struct OccurrenceIDTests {
  @Test(
    "The text of a revision says which one it is",
    arguments: [
      (OccurrenceID.Revision.first, "0"), (.repeat(1), "r1"), (.repeat(12), "r12"),
      (.snoozed(until: Instant(milliseconds: 1_795_451_400_000)), "1795451400000"),
      (.snoozed(until: Instant(milliseconds: -5)), "-5"),
    ])
  func text(revision: OccurrenceID.Revision, text: String) {
    #expect(revision.text == text)
    #expect(OccurrenceID.Revision(text) == revision)
  }

  @Test(
    "A text that no revision has is kept as it is",
    arguments: [
      "", "00", "+1", "007", "r", "r0", "r01", "r-1", "r1 ", "open", "99999999999999999999",
    ])
  func unknown(text: String) {
    #expect(OccurrenceID.Revision(text) == .unknown(text))
    #expect(OccurrenceID.Revision(text).text == text)
  }

  @Test("A subject takes the text of a revision, whatever its kind", arguments: ["0", "r2", "x"])
  func subject(text: String) {
    let occurrence = OccurrenceID(habit: .random(), schedule: .random(), nominal: .zero)
    for first: ReceiptSubject in [
      .occurrence(occurrence), .item(source: "s", item: "i"), .push(id: "p"),
    ] {
      var subject = first
      subject.revision = text
      #expect(subject.revision == text && (subject == first) == (text == "0"))
    }
  }
}
