import CarillonSync
import CarillonTestSupport
import Testing

@testable import Carillon

struct FrameReaderTests {
  private static let greeting = "carillon-sync 1\n"

  private static func bytes(_ noise: String, _ messages: [[UInt8]]) -> [UInt8] {
    Array((noise + greeting).utf8) + messages.flatMap(FrameReader.frame)
  }

  @Test(
    "Messages arrive complete, however the bytes are split",
    arguments: ["", "Welcome\n", "carillon-sync \ncarillon-", "no line end "])
  func cuts(noise: String) throws {
    var generator = SeededGenerator(seed: 7)
    let messages = (0..<20).map { count in
      (0..<(count * 7 + 1)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
    let bytes = Self.bytes(noise, messages)
    for size in [1, 2, 3, 16, 100, bytes.count] {
      var reader = FrameReader(limit: 1_000)
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        found += try reader.take(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(found == messages, "\(size)")
      try reader.end()
    }
  }

  @Test(
    "The store named directly before the greeting is found, however the bytes are split",
    arguments: [
      ("\(named)", true), ("noise\nno line end\(named)", true), ("\(named)\(named)", true),
      ("", false), ("\(named)\n", false), ("\(named.dropLast())", false),
      ("carillon-store 11111111-2222-4333-8444-55555555555\n", false),
      ("carillon-store 11111111-2222-4333-8444-55555555555x\n", false),
    ])
  func store(noise: String, isNamed: Bool) throws {
    let bytes = Self.bytes(noise, [[1]])
    for size in [1, 7, bytes.count] {
      var reader = FrameReader(limit: 1_000)
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        found += try reader.take(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(found == [[1]] && reader.isGreeted)
      #expect((reader.store?.description == Self.id) == isNamed)
      #expect((reader.store == nil) == !isNamed)
    }
  }

  private static let id = "11111111-2222-4333-8444-555555555555"
  private static let named = "carillon-store \(id)\n"

  @Test("An end in the middle of a message is an error, an end between messages is not")
  func ends() throws {
    let bytes = Self.bytes("", [[1, 2, 3], [4]])
    for count in 0...bytes.count {
      var reader = FrameReader(limit: 1_000)
      _ = try reader.take(bytes[..<count])
      if [0, 16, 23, 28].contains(count) {
        try reader.end()
      } else {
        let error = #expect(throws: SyncError.self) { try reader.end() }
        #expect(error?.code == (count < 16 ? .malformed : .unreachable), "\(count)")
      }
    }
  }

  @Test("A message at the limit is accepted, a longer one is refused")
  func limit() throws {
    var reader = FrameReader(limit: 10)
    let most = [UInt8](repeating: 1, count: 10)
    #expect(try reader.take(Self.bytes("", [most])) == [most])
    let error = #expect(throws: SyncError.self) { try reader.take([0, 0, 0, 11]) }
    #expect(error?.code == .messageTooLarge)
  }

  @Test("Noise is accepted up to its limit, and the error shows its first line")
  func noise() throws {
    let noise = "\u{1B}[1mhello\r\n" + String(repeating: "x", count: 65_536)
    var reader = FrameReader(limit: 10)
    _ = try reader.take(Array(noise.utf8.prefix(65_500)))
    #expect(try reader.take(Self.bytes("", [[1]])) == [[1]])
    reader = FrameReader(limit: 10)
    let error = #expect(throws: SyncError.self) { try reader.take(Array(noise.utf8)) }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains(#""[1mhello""#) == true)
  }

  @Test(
    "65,536 bytes of noise are accepted, one more is not, however they arrive",
    arguments: [1, 70_000])
  func exactNoise(chunk: Int) throws {
    for (count, passes) in [(65_536, true), (65_537, false)] {
      var rest = [UInt8](repeating: 0x78, count: count)[...] + Self.bytes("", [[1]])
      var reader = FrameReader(limit: 10)
      // The noise at once; the rest in the given pieces.
      var messages = try reader.take(rest.prefix(chunk == 1 ? 65_530 : 0))
      rest = rest.dropFirst(chunk == 1 ? 65_530 : 0)
      do {
        while !rest.isEmpty {
          messages += try reader.take(rest.prefix(chunk))
          rest = rest.dropFirst(chunk)
        }
        #expect(passes && messages == [[1]])
      } catch {
        #expect(!passes && error.code == .malformed)
      }
    }
  }

  @Test("Any bytes are messages or an error")
  func anything() {
    for seed in 0..<300 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var reader = FrameReader(limit: 1_000)
      let start = Bool.random(using: &generator) ? Array(Self.greeting.utf8) : []
      let rest = (0..<200).map { _ in
        UInt8.random(in: 0...(Bool.random(using: &generator) ? 255 : 1), using: &generator)
      }
      do {
        for message in try reader.take(start + rest) {
          #expect((1...1_000).contains(message.count))
        }
        try reader.end()
      } catch {
        #expect(!error.message.isEmpty, "seed \(seed)")
      }
    }
  }
}
