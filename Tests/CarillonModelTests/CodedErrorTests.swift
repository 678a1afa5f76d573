import CarillonModel
import Testing

/// The error struct that every layer shares.
struct CodedErrorTests {
  @Test("An error is one word, so that functions with a typed `throws` return it in a register")
  func size() {
    #expect(MemoryLayout<ModelError>.size == MemoryLayout<Int>.size)
    #expect(MemoryLayout<LogError>.size == MemoryLayout<Int>.size)
  }

  @Test("Errors are equal if all but their causes are")
  func equality() {
    let error = LogError(code: .full, message: "no room", cause: ModelError.malformed("a"))
    #expect(error == LogError(code: .full, message: "no room"))
    #expect(error.hashValue == LogError(code: .full, message: "no room").hashValue)
    for other in [
      LogError(code: .busy, message: "no room"), LogError(code: .full, message: "none"),
      LogError(code: .full, message: "no room", index: 1),
      LogError(code: .full, message: "no room", hint: "delete something"),
      LogError(code: .full, message: "no room", reason: .addressSpace),
    ] {
      #expect(error != other)
    }
  }
}
