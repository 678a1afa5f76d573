import Carillon
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Remote notifications: reading their payloads and recording them.
@Suite struct PushTests {
  private static let alert = """
    {"aps":{"alert":{"title":"Sale","body":"Half price"},"sound":"default","badge":1},\
    "special":"toy","price":"10"}
    """
  private static let background = #"{"aps":{"content-available":1},"special":"toy","price":"10"}"#

  @Test("Scenario 30: an alert, the same with a trailing comma, and a background push")
  func scenario30() {
    let alert = PushPayload(Array(Self.alert.utf8))
    #expect(alert.kind == .alert && alert.badge == 1 && alert.title == "Sale")
    #expect(alert.body == "Half price" && alert.sound == "default")
    #expect(alert.custom == #"{"special":"toy","price":"10"}"#)
    let comma = Self.alert.replacing(#""10"}"#, with: #""10",}"#)
    let printed = PushPayload(Array(comma.utf8))
    #expect(printed.kind == .malformed && printed.problem?.contains("not valid JSON") == true)
    let background = PushPayload(Array(Self.background.utf8))
    #expect(background.kind == .background && background.badge == nil)
    #expect(background.custom == alert.custom)
  }

  @Test(
    "Every form of payload has its kind",
    arguments: [
      (#"{"aps":{"alert":"Hi"}}"#, PushReceived.Kind.alert),
      (#"{"aps":{"badge":0}}"#, .alert),
      (#"{"aps":{"sound":{"critical":1,"name":"a","volume":1.0}}}"#, .alert),
      (#"{"aps":{"alert":{"loc-key":"K","loc-args":["a"]},"content-available":1}}"#, .both),
      (#"{"aps":{"alert":"Hi","content-available":0}}"#, .alert),
      (#"{"aps":{"content-available":0}}"#, .malformed),
      (#"{"aps":{"alert":"Hi","badge":"1"}}"#, .malformed),
      (#"{"aps":{"alert":"Hi","badge":-1}}"#, .malformed),
      (#"{"aps":{"alert":7}}"#, .malformed),
      (#"{"aps":{}}"#, .malformed), (#"{"aps":[]}"#, .malformed), ("{}", .malformed),
      ("[]", .malformed), ("", .malformed), (#"{"aps":{"alert":"Hi"}"#, .malformed),
    ])
  func kinds(json: String, kind: PushReceived.Kind) {
    let payload = PushPayload(Array(json.utf8))
    #expect(payload.kind == kind)
    #expect((payload.problem == nil) == (kind != .malformed))
    #expect(payload.badge ?? 0 >= 0)
  }

  @Test("The same push is recorded once; another push with its collapse ID replaces it")
  func collapse() async throws {
    try await withStore { store, _ in
      let first = try await store.receive(Array(Self.alert.utf8), collapseID: "sale")
      #expect(first.id == "sale" && !first.replaced && !first.repeated)
      #expect(first.blocked == .notDetermined)
      #expect(first.written.events.map(\.kind.name) == ["push.received"])
      let again = try await store.receive(Array(Self.alert.utf8), collapseID: "sale")
      #expect(again.repeated && again.written.events.isEmpty)
      let next = try await store.receive(
        Array(#"{"aps":{"alert":"Over"}}"#.utf8), collapseID: "sale")
      #expect(next.replaced && next.id == "sale" && next.revision != first.revision)
      try await store.recordReceipt(.dismissed, of: .other("sale"))
      let subjects = try await store.receipts().map(\.subject)
      #expect(subjects == [.push(id: "sale", revision: next.revision)])
    }
  }

  @Test("Without a collapse ID, a push is identified by its own ID or its content")
  func identity() async throws {
    try await withStore { store, _ in
      let own = try await store.receive(
        Array(#"{"aps":{"alert":"Hi"},"carillon-id":"hello"}"#.utf8))
      #expect(own.id == "hello")
      let hashed = try await store.receive(Array(Self.alert.utf8))
      #expect(hashed.id == hashed.revision && hashed.id.utf8.count == 16)
      let long = String(repeating: "x", count: 65)
      let unusable = try await store.receive(
        Array(#"{"aps":{"alert":"Hi"},"carillon-id":"\#(long)"}"#.utf8))
      #expect(unusable.id == unusable.revision)
    }
  }

  @Test("A background push records the result of the wake")
  func wake() async throws {
    try await withStore { store, _ in
      let first = try await store.receive(Array(Self.background.utf8))
      #expect(first.written.events.map(\.kind.name) == ["push.received", "wake.finished"])
      let again = try await store.receive(Array(Self.background.utf8))
      #expect(again.written.events.map(\.kind.name) == ["wake.finished"])
    }
  }

  @Test("A payload that cannot be read is stored byte for byte")
  func malformed() async throws {
    try await withStore { store, _ in
      let bytes: [UInt8] = [0x7B, 0xFF, 0x00]
      let intake = try await store.receive(bytes)
      #expect(intake.payload.kind == .malformed)
      let id = try #require(intake.written.events.first?.id)
      guard case .pushReceived(let push) = try await store.event(id)?.payload else {
        Issue.record("no push was recorded")
        return
      }
      #expect(push.content == bytes && push.kind == .malformed)
    }
  }

  @Test("Payloads and collapse IDs over their limits record nothing")
  func limits() async throws {
    try await withStore { store, _ in
      let before = try store.lastPosition()
      await #expect { try await store.receive([UInt8](repeating: 32, count: 4_097)) } throws: {
        "\($0)".contains("4097 bytes") && "\($0)".contains("4096")
      }
      for id in ["", String(repeating: "x", count: 65)] {
        await #expect(throws: StoreError.self) { try await store.receive([], collapseID: id) }
      }
      #expect(try store.lastPosition() == before)
      _ = try await store.receive(
        [UInt8](repeating: 32, count: 4_096), collapseID: String(repeating: "x", count: 64))
    }
  }
}
