import CarillonTestSupport
import Foundation

/// The `carillon` that was built with these tests.
enum Executable {
  static let url = BuiltProgram.url("carillon")
}
