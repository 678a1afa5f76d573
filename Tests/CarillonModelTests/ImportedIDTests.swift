import CarillonModel
import Testing

/// IDs of imported data, compared with values computed independently from `EVENTS.md`.
struct ImportedIDTests {
  @Test(
    "A habit's ID is derived from its source and its key in that source",
    arguments: [
      (
        "loop", ImportKey.uuid("0123456789abcdef0123456789abcdef"),
        "6fa3f52d-c45b-460b-3e8c-6cd2bae65d45"
      ),
      (
        "loop", .row(15, title: "Wake up early", first: 1_451_606_400_000),
        "31e93f28-6570-feec-d789-c09d46d11fd9"
      ),
      (
        "loop", .row(15, title: "Wake up early", first: nil),
        "11de1471-00eb-35fc-5ddf-925f4bfdd6cb"
      ),
      ("habitbull", .title("Café", ordinal: 1), "36c9c51c-596e-8d7a-f372-55c481dea75a"),
    ])
  func habits(source: String, key: ImportKey, expected: String) {
    #expect(HabitID.imported(from: source, key).description == expected)
  }

  @Test("A schedule's ID is derived from its habit, an entry's ID from source, habit and date")
  func schedulesAndEntries() {
    let habit = HabitID.imported(from: "loop", .uuid("0123456789abcdef0123456789abcdef"))
    #expect(ScheduleID.imported(of: habit).description == "177b7990-09d3-c7e3-866b-e75d4a562f33")
    let entry = EntryID.imported(from: "loop", habit: habit, date: "2015-01-01")
    #expect(entry.description == "df341ae1-e592-33d1-edfe-fef2e32d4244")
  }

  @Test("SHA-256 of data in pieces equals SHA-256 of all the data")
  func digest() {
    var digest = ContentDigest()
    for piece in ["a", "", "bc"] { Array(piece.utf8).withUnsafeBytes { digest.update($0) } }
    #expect(
      digest.finalize()
        == [UInt8](
          hexadecimal: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
  }
}
