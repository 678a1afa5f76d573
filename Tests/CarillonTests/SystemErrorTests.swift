import Foundation
import Testing

@testable import Carillon

/// Errors of Foundation, converted to errors of a store.
struct SystemErrorTests {
  @Test("The error for a file that Foundation cannot read has its path and the system's reason")
  func cocoa() async throws {
    let caught = #expect(throws: (any Error).self) {
      try Data(contentsOf: URL(filePath: "/nowhere/a file"))
    }
    let error = try #require(caught.flatMap(StoreError.init(foundation:)))
    #expect(error.code == .io && error.message == "/nowhere/a file: No such file or directory")
  }

  @Test(
    "The code follows from the system's reason",
    arguments: [
      (ENOSPC, StoreError.Code.full), (EDQUOT, .full), (EROFS, .readOnly), (EACCES, .readOnly),
      (EIO, .io),
    ])
  func codes(reason: Int32, code: StoreError.Code) throws {
    let thrown = POSIXError(try #require(POSIXErrorCode(rawValue: reason)))
    #expect(StoreError(foundation: thrown)?.code == code)
    #expect(StoreError(translating: thrown).message == String(cString: strerror(reason)))
  }

  @Test("An error of this library is not treated as one of Foundation's")
  func other() {
    #expect(StoreError(foundation: StoreError(code: .busy, message: "")) == nil)
    #expect(StoreError(foundation: CancellationError()) == nil)
  }
}
