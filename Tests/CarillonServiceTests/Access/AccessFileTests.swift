#if Service
import Carillon
import CarillonAccess
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Invitations and credentials as files.
struct AccessFileTests {
  private let directory: TemporaryDirectory
  private let access: AccessFiles
  private let now = Instant(milliseconds: 1_795_000_000_000)

  init() throws {
    directory = try TemporaryDirectory()
    access = try AccessFiles(of: directory.url)
  }

  private func later(_ seconds: Int64) -> Instant {
    Instant(milliseconds: now.milliseconds + seconds * 1_000)
  }

  private func secret(_ text: String) throws -> AccessSecret {
    try #require(AccessSecret(text, byteCount: AccessSecret.credentialBytes))
  }

  private func join(_ name: String, _ role: AccessRole = .phone) throws -> (AccessEntry, String) {
    try #require(
      try access.join(try access.invite(role, seconds: 900, at: now).code, name: name, at: now))
  }

  @Test("An invitation is exchanged once for a credential of its role, and is gone then")
  func once() throws {
    let (_, code) = try access.invite(.watch, seconds: 900, at: now)
    let (entry, text) = try #require(try access.join(code, name: "Band", at: later(899)))
    #expect(entry.role == .watch && entry.name == "Band" && entry.kind == .device)
    #expect(try access.join(code, name: "Band", at: later(899)) == nil)
    #expect(try access.entry(.device, of: secret(text), at: later(1_000_000_000)) == entry)
    #expect(try access.entry(.session, of: secret(text), at: now) == nil)
    let list = try access.list(at: now)
    #expect(list.entries == [entry] && list.damaged.isEmpty)
  }

  @Test("An invitation that has expired is not exchanged, not listed, and removed by the next one")
  func expired() throws {
    let (_, code) = try access.invite(.phone, seconds: 60, at: now)
    #expect(try access.join(code, name: "Pixel", at: later(60)) == nil)
    #expect(try access.list(at: later(60)).entries.isEmpty)
    _ = try access.invite(.phone, seconds: 60, at: later(60))
    let folder = directory.url.appending(path: "service/invitations").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    for seconds in [0, -1, 7 * 86_400 + 1] as [Int64] {
      #expect(throws: StoreError.self) { try access.invite(.phone, seconds: seconds, at: now) }
    }
  }

  @Test("Of many exchanges of one invitation at once, one succeeds")
  func race() async throws {
    let (_, code) = try access.invite(.phone, seconds: 900, at: now)
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<16 {
        group.addTask { [access, now] in
          try access.join(code, name: "Phone \(number)", at: now) != nil
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
    #expect(try access.list(at: now).entries.count == 1)
  }

  @Test("A revoked credential is refused at once, also by what was opened before")
  func revoked() throws {
    let (entry, text) = try join("Pixel")
    #expect(try access.holds(entry, at: now))
    #expect(try AccessFiles(of: directory.url).revoke(entry.id))
    #expect(try !access.holds(entry, at: now))
    #expect(try access.entry(.device, of: secret(text), at: now) == nil)
    #expect(try !access.revoke(entry.id))
  }

  @Test("Files have only the digest of a secret, and only their owner can read them")
  func files() throws {
    let (_, code) = try access.invite(.viewer, seconds: 900, at: now)
    let (_, text) = try join("Pixel")
    let root = directory.url.appending(path: "service")
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    {
      let mode = try #require(
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int)
      #expect(mode == (file.hasDirectoryPath ? 0o700 : 0o600), "\(file.path)")
      guard !file.hasDirectoryPath else { continue }
      let content = try String(contentsOf: file, encoding: .utf8)
      #expect(!content.contains(code) && !content.contains(text))
      #expect(!file.path.hasSuffix(".json") || content.contains("\"digest\""))
    }
  }

  @Test("A damaged file is listed by its name, and refuses only its own device")
  func damaged() throws {
    let (good, text) = try join("Pixel")
    let (bad, badText) = try join("Band")
    let folder = directory.url.appending(path: "service/devices")
    let file = folder.appending(path: "\(bad.id).json")
    let whole = try String(contentsOf: file, encoding: .utf8)
    for content in [
      "", "{", "[]", "{}", String(whole.dropLast(20)), whole.replacing("phone", with: "king"),
      whole.replacing("\"digest\":\"", with: "\"digest\":\"0"),
      String(repeating: " ", count: 9_000),
    ] {
      try Data(content.utf8).write(to: file)
      chmod(file.path, 0o600)
      let list = try access.list(at: now)
      #expect(list.entries == [good], "\(content)")
      #expect(list.damaged.map { $0.message.contains(file.path) } == [true], "\(content)")
      #expect(try access.entry(.device, of: secret(text), at: now) == good)
      #expect(throws: StoreError.self) {
        try access.entry(.device, of: try secret(badText), at: now)
      }
    }
    #expect(try access.revoke(bad.id))
    #expect(try access.list(at: now).damaged.isEmpty)
  }

  @Test("A file or a directory that others can change allows nothing, and the error says so")
  func writable() throws {
    let (entry, text) = try join("Pixel")
    let file = directory.url.appending(path: "service/devices/\(entry.id).json").path
    for path in [
      file, directory.url.appending(path: "service/devices").path,
    ] {
      for mode in [0o20, 0o2] as [mode_t] {
        chmod(path, (path == file ? 0o600 : 0o700) | mode)
        let error = #expect(throws: StoreError.self) {
          try access.entry(.device, of: try secret(text), at: now)
        }
        #expect(error?.message == "\(path) can be changed by other users")
      }
      chmod(path, path == file ? 0o600 : 0o700)
    }
    chmod(directory.url.appending(path: "service").path, 0o722)
    #expect(throws: StoreError.self) { try AccessFiles(of: directory.url) }
  }

  @Test("A name is 1 to 64 bytes without control characters, and something of it is visible")
  func names() throws {
    for name in [
      "", " ", "\u{200B}\u{2060}", "a\nb", "a\u{1B}[31m", String(repeating: "é", count: 33),
    ] {
      let (_, code) = try access.invite(.phone, seconds: 900, at: now)
      #expect(throws: StoreError.self) { try access.join(code, name: name, at: now) }
      // The attempt does not use the invitation up.
      #expect(try access.join(code, name: String(repeating: "é", count: 32), at: now) != nil)
    }
  }

  @Test("A session of a browser ends, and belongs to the port that began it")
  func sessions() throws {
    let (_, code) = try access.invite(.viewer, seconds: 900, at: now)
    let (entry, text) = try #require(
      try access.join(code, name: "Tablet", sessionAt: 8787, at: now))
    #expect(entry.kind == .session && entry.port == 8787)
    #expect(try access.entry(.session, of: secret(text), at: now) == entry)
    #expect(try access.entry(.device, of: secret(text), at: now) == nil)
    let end = later(AccessEntry.sessionSeconds)
    #expect(try access.entry(.session, of: secret(text), at: end) == nil)
  }

  @Test(
    "A QR code is a square of modules with its three finder patterns",
    .enabled(if: QRCode("a") != nil, "libqrencode is not installed"))
  func codes() throws {
    let link = "https://home.example:8787/#invite=\(String(repeating: "a", count: 22))"
    let code = try #require(QRCode(link))
    let size = code.rows.count
    #expect(size >= 21 && (size - 17).isMultiple(of: 4))
    #expect(code.rows.allSatisfy { $0.count == size })
    let finder = [true] + [Bool](repeating: true, count: 5) + [true]
    #expect(Array(code.rows[0].prefix(7)) == finder && Array(code.rows[0].suffix(7)) == finder)
    #expect(Array(code.rows[size - 1].prefix(7)) == finder)
    let lines = code.lines
    #expect(lines.count == (size + 5) / 2 && lines.allSatisfy { $0.count == size + 4 })
    #expect(QRCode(String(repeating: "a", count: 4_000)) == nil)
  }
}
#endif
