import Testing

@testable import CarillonModel

@Suite struct BigEndianTests {
  @Test("Numbers give their bytes, the most significant first")
  func bytes() {
    #expect(UInt16(0x0102).bigEndianBytes == [1, 2])
    #expect(Int32(-2).bigEndianBytes == [255, 255, 255, 254])
  }

  @Test("Hexadecimal digits in either case give the bytes, and back in lower case")
  func hexadecimal() {
    #expect([UInt8](hexadecimal: "00aBFf") == [0, 0xAB, 0xFF])
    #expect([UInt8]([0, 0xAB, 0xFF]).hexadecimal == "00abff")
    #expect([UInt8](hexadecimal: "") == [])
    for wrong in ["0", "0g", " 00", "0x00", "é0"] { #expect([UInt8](hexadecimal: wrong) == nil) }
  }
}
