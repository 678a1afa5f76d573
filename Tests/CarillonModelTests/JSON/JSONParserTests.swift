import CarillonModel
import CarillonTestSupport
import CarillonWire
import Testing

@Suite("JSON")
struct JSONParserTests {
  @Test(
    "Parsing and writing a document returns the same text",
    arguments: [
      #"null"#, #"true"#, #"-12"#, #"1.5e10"#, #"9223372036854775807"#, #"9223372036854775808"#,
      #""""#, #""é🌊/""#, #"[]"#, #"[1,[2],{}]"#, #"{"b":1,"a":{"c":[null,false]}}"#,
      #""\"\\\b\f\n\r\t\u0001""#,
    ])
  func same(text: String) throws {
    #expect(try JSONValue(parsing: text.utf8).description == text)
  }

  @Test("Escapes and whitespace are parsed")
  func escapes() throws {
    let value = try JSONValue(parsing: " [ \"\\u00e9\\ud83c\\udf0a\\/\" , 1 ]\r\n".utf8)
    #expect(value == .array([.text("é🌊/"), .integer(1)]))
  }

  @Test(
    "Invalid JSON is rejected",
    arguments: [
      "", " ", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":1,\"a\":2}", "01", "-", "1.", "1e", "+1",
      "tru",
      "\"", "\"\n\"", "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\u12g4\"", "1 2", "'a'",
      String(repeating: "[", count: 100_000),
    ])
  func refused(text: String) {
    #expect(throws: ModelError.self) { try JSONValue(parsing: text.utf8) }
  }

  @Test("An object may have 100,000 members")
  func manyMembers() throws {
    let members = (0..<100_000).map { "\"\($0)\":\($0)" }.joined(separator: ",")
    guard case .object(let object) = try JSONValue(parsing: "{\(members)}".utf8) else {
      Issue.record("the document is not an object")
      return
    }
    #expect(object.members.count == 100_000)
    #expect(object.members.last?.value == .integer(99_999))
  }

  @Test("Damaged documents never crash", arguments: 0..<20)
  func damaged(seed: UInt64) throws {
    var generator = PayloadGenerator(SeededGenerator(seed: seed))
    for _ in 0..<100 {
      var bytes = Array(EventJSON.object(generator.payload()).description.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator.random) {
        let index = Int.random(in: 0..<bytes.count, using: &generator.random)
        bytes[index] = UInt8.random(in: 0...255, using: &generator.random)
      }
      _ = try? EventJSON.payload(fromJSON: bytes)
      _ = try? EventJSON.event(fromJSON: bytes, of: StoreID(high: 1, low: 2))
    }
  }
}
