import CarillonTestSupport
import Foundation
import Testing

@testable import Carillon
@testable import CarillonImport

/// The CSV grammar of RFC 4180; errors name the line.
struct CSVReaderTests {
  private static func rows(_ bytes: [UInt8]) throws -> [CSVReader.Row] {
    var reader = CSVReader(bytes, of: URL(filePath: "/a/table.csv"))
    var rows: [CSVReader.Row] = []
    while let row = try reader.next() { rows.append(row) }
    return rows
  }

  @Test(
    "Values, quotes and line ends are read according to RFC 4180",
    arguments: [
      ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
      ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
      ("\u{FEFF}a,b\n", [["a", "b"]]),
      ("a,\n,b\n", [["a", ""], ["", "b"]]),
      ("\"a,b\",\"c\"\"d\"\n", [["a,b", "c\"d"]]),
      ("\"a\nb\",\"c\r\nd\"\n", [["a\nb", "c\r\nd"]]),
      ("\"\",\"\"\n", [["", ""]]),
      ("a,b\n\n\r\nc,d\n\n", [["a", "b"], ["c", "d"]]),
      (" a ,b \n", [[" a ", "b "]]),
      ("é,日本\n", [["é", "日本"]]),
      ("", []), ("\n\n", []), ("a", [["a"]]),
    ])
  func grammar(text: String, expected: [[String]]) throws {
    #expect(try Self.rows(Array(text.utf8)).map(\.values) == expected)
  }

  @Test("A row has its line number, even after values with line ends")
  func lines() throws {
    let rows = try Self.rows(Array("a,b\n\"x\n\ny\",1\n\nc,d\n".utf8))
    #expect(rows.map(\.line) == [1, 2, 6])
  }

  @Test(
    "Text that violates the grammar is refused with its line",
    arguments: [
      ("a,b\nc\n", "line 2 has 1 values, but the first line has 2"),
      ("a,b\nc,d,e\n", "line 2 has 3 values, but the first line has 2"),
      ("a,b\n\"c,d\ne,f\n", "line 2 starts a quoted value that is not closed"),
      ("a,b\nx\"y,d\n", "line 2 has a quote within a value"),
      ("a,b\n\"x\"y,d\n", "line 2 has text after a closing quote"),
      ("a,b\rc,d\r", "line 1 has a carriage return without a line feed"),
    ])
  func broken(text: String, says: String) throws {
    let error = #expect(throws: StoreError.self) { try Self.rows(Array(text.utf8)) }
    #expect(error?.message.contains("table.csv " + says) == true, "\(String(describing: error))")
  }

  @Test(
    "Bytes that are not UTF-8 are refused with their line",
    arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80]])
  func invalidText(bytes: [UInt8]) throws {
    for quote in [[], [0x22]] as [[UInt8]] {
      let error = #expect(throws: StoreError.self) {
        try Self.rows(Array("a,b\n".utf8) + quote + bytes + quote + Array(",c\n".utf8))
      }
      #expect(error?.message == "table.csv line 2 is not UTF-8")
    }
  }

  @Test("A value of more than 65,536 bytes is refused")
  func longValue() throws {
    let long = String(repeating: "x", count: 65_537)
    #expect(try Self.rows(Array("\(long.dropLast()),b\n".utf8)).count == 1)
    #expect(throws: StoreError.self) { try Self.rows(Array("a,b\n\(long),c\n".utf8)) }
    #expect(throws: StoreError.self) { try Self.rows(Array("a,b\n\"\(long)\",c\n".utf8)) }
  }

  @Test("Any bytes are read or refused, and none cause a crash")
  func anyBytes() {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let alphabet: [UInt8] = [0x2C, 0x22, 0x0A, 0x0D, 0x61, 0xC3, 0xA4, 0xEF, 0xBB, 0xBF, 0x00]
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      do {
        _ = try Self.rows(bytes)
      } catch {
        #expect(error is StoreError, "seed \(seed): \(bytes)")
      }
    }
  }
}
