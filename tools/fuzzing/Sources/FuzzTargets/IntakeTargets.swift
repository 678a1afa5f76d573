@testable import Carillon
import CarillonModel
import CarillonWire

extension FuzzTarget {
  static let intakeTargets = [
    FuzzTarget(name: "item", maxByteCount: 4_096, seeds: Intakes.itemSeeds, run: Intakes.readItem),
    FuzzTarget(
      name: "github", maxByteCount: 16_384, seeds: Intakes.gitHubSeeds, run: Intakes.readGitHub),
    FuzzTarget(name: "push", maxByteCount: 4_096, seeds: Intakes.pushSeeds, run: Intakes.readPush),
  ]
}

/// External data: fetched items and remote notifications.
private enum Intakes {
  /// A line of items.
  static func readItem(_ bytes: UnsafeRawBufferPointer) {
    guard let item = try? FetchedItem(json: bytes) else { return }
    hold(!item.id.isEmpty && !item.revision.isEmpty, "an item has an ID and a revision")
  }

  /// A response of GitHub's notifications API.
  static func readGitHub(_ bytes: UnsafeRawBufferPointer) {
    guard let items = try? FetchedItem.gitHub(bytes) else { return }
    hold(
      items.allSatisfy { !$0.id.isEmpty && !$0.revision.isEmpty },
      "every item has an ID and a revision")
  }

  /// A payload, which can be recorded whatever its content is.
  static func readPush(_ bytes: UnsafeRawBufferPointer) throws {
    let payload = PushPayload(bytes)
    hold(
      (payload.kind == .malformed) == (payload.problem != nil),
      "exactly the malformed payloads have a problem")
    hold(payload.badge ?? 0 >= 0, "a badge is not negative")
    hold(
      try JSONValue(parsing: payload.custom.utf8) == .object(payload.customMembers),
      "members read back equal")
    let push = PushReceived(
      id: "1", kind: payload.kind, collapses: false, category: payload.category?.cut(toBytes: 200),
      thread: payload.thread?.cut(toBytes: 200), content: [UInt8](bytes))
    _ = try PayloadCoding.encode(.pushReceived(push))
  }

  // MARK: - Seeds

  static func itemSeeds() -> [[UInt8]] {
    Vectors.texts([
      #"{"id":"7"}"#, #"{"id":7,"revision":2}"#,
      #"{"id":"7","revision":"b","title":"T","body":"B","thread":"t","url":"https://example.org","#
        + #""unread":false,"more":[1]}"#,
    ])
  }

  static func gitHubSeeds() -> [[UInt8]] {
    let thread =
      #"{"id":"7","updated_at":"2026-01-01T00:00:00Z","unread":true,"reason":"mention","#
      + #""subject":{"title":"A bug","url":"https://api.github.com/1","type":"Issue"},"#
      + #""repository":{"id":1,"full_name":"some/where"}}"#
    return Vectors.texts([
      "[]", "[\(thread)]", "[\(thread),\(thread)]", #"[{"id":1,"updated_at":2,"subject":null}]"#,
    ])
  }

  static func pushSeeds() -> [[UInt8]] {
    Vectors.texts([
      #"{"aps":{"alert":"Hello","badge":3,"sound":"default"},"carillon-id":"a","k":{"x":[1,2.5]}}"#,
      #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"category":"c","thread-id":"t","#
        + #""interruption-level":"passive","mutable-content":1,"sound":{"name":"bell"}}}"#,
      #"{"aps":{"alert":{"title-loc-key":"T","subtitle-loc-key":"S","loc-key":"B"}}}"#,
      #"{"aps":{"content-available":1},"aps2":null}"#, #"{"aps":{"badge":-1}}"#, #"{"aps":[]}"#,
    ])
  }
}
