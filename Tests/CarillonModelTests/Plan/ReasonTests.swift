import CarillonModel
import Foundation
import Testing

/// The reasons in an explanation.
struct ReasonTests {
  @Test("The guide to planning names every reason, in the order in which they apply")
  func guide() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appending(
        path: "Sources/Carillon/Carillon.docc/Guides/HowRemindersArePlanned.md"), encoding: .utf8)
    let start = try #require(guide.range(of: "### What suppresses an occurrence"))
    var rest = guide[start.upperBound...]
    for reason in Explanation.Reason.allCases {
      let place = rest.range(of: "`\(reason.rawValue)`")
      #expect(place != nil, "\(reason.rawValue) is missing or too early")
      if let place { rest = rest[place.upperBound...] }
    }
  }
}
