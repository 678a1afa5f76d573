#if Service
import CarillonTestSupport
import Foundation
import Testing

/// The tests in a browser, one at a time: each needs much of a machine.
@Suite(.serialized, .enabled(if: Browser.isInstalled, Browser.missing), .timeLimit(.minutes(5)))
enum BrowserTests {}

/// A headless Chromium with one person's profile, driven over WebDriver.
final class Browser {
  /// Whether Chromium and its driver are installed; `tools/prepare --tests` installs them.
  static let isInstalled = Shell.has("chromium") && Shell.has("chromedriver")

  /// What a test without it says.
  static let missing: Comment = "chromium is not installed; tools/prepare --tests installs it"

  private let driver: StartedProgram
  private let port: Int
  private let session: String

  private init(_ driver: StartedProgram, port: Int, session: String) {
    (self.driver, self.port, self.session) = (driver, port, session)
  }

  /// Starts a browser, and closes it after its use.
  ///
  /// - Parameter person: Whose browser it is; another person has other cookies.
  static func use(
    in bench: ServiceBench, by person: String = "owner", _ body: (Browser) async throws -> Void
  ) async throws {
    let driver = try await StartedProgram(
      URL(filePath: "/usr/bin/chromedriver"), ["--port=0"], in: bench,
      environment: ["HOME": bench.directory.path])
    let port = try await portOf(driver)
    let arguments = [
      "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--lang=en",
      "--force-color-profile=srgb", "--user-data-dir=\(bench.path("profile-\(person)"))",
    ]
    let options: [String: Any] = [
      "capabilities": ["alwaysMatch": ["goog:chromeOptions": ["args": arguments]]]
    ]
    let answer = try await send("POST", "/session", options, port: port) as? [String: Any]
    let session = try #require(answer?["sessionId"] as? String)
    let browser = Browser(driver, port: port, session: session)
    do {
      try await body(browser)
    } catch {
      _ = try await browser.send("DELETE", "")
      throw error
    }
    _ = try await browser.send("DELETE", "")
    driver.signal(SIGTERM)
    _ = try await driver.end()
  }

  private static func portOf(_ driver: StartedProgram) async throws -> Int {
    while driver.process.isRunning {
      if let match = driver.output.firstMatch(of: /started successfully on port (\d+)/) {
        return try #require(Int(match.output.1))
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw BrowserError(description: "chromedriver ended: \(driver.output)\(driver.errors)")
  }

  // MARK: - Use

  /// Opens an address.
  func open(_ url: String) async throws {
    try await send("POST", "/url", ["url": url])
  }

  /// Runs a script, and returns what it returns.
  func run<Value>(_ script: String, as type: Value.Type = Value.self) async throws -> Value {
    let value = try await send("POST", "/execute/sync", ["script": script, "args": [Any]()])
    return try #require(value as? Value, "\(script) returned \(value)")
  }

  /// Runs statements.
  func act(_ script: String) async throws {
    let _: Bool = try await run("\(script)\nreturn true")
  }

  /// Waits until a script returns true.
  func wait(for script: String, _ location: SourceLocation = #_sourceLocation) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !run("return Boolean(\(script))", as: Bool.self) {
      guard .now < end else {
        let text: String = try await run("return document.body.innerText")
        throw BrowserError(description: "\(location): \(script) stays false:\n\(text)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Waits until what is shown no longer changes: documents arrive one after the other.
  func settle() async throws {
    var last = ""
    var looks = 0
    while looks < 6 {
      let shown: String = try await run("return document.getElementById('main').innerText")
      looks = shown == last ? looks + 1 : 0
      last = shown
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Returns what is wrong with the page for people who see little, or use no mouse.
  func audit() async throws -> [String] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "audit.js")
    return try await run(String(contentsOf: file, encoding: .utf8))
  }

  /// Presses keys, one after the other, while another key is held.
  func press(_ keys: String, holding held: String? = nil) async throws {
    let pressed = keys.flatMap { key in
      ["keyDown", "keyUp"].map { ["type": $0, "value": String(key)] }
    }
    let (before, after) = (
      held.map { [["type": "keyDown", "value": $0]] } ?? [],
      held.map { [["type": "keyUp", "value": $0]] } ?? []
    )
    let actions = before + pressed + after
    try await send(
      "POST", "/actions",
      ["actions": [["type": "key", "id": "keyboard", "actions": actions] as [String: Any]]])
  }

  /// Runs a command of the browser's own protocol.
  @discardableResult
  func command(_ name: String, _ parameters: [String: Any] = [:]) async throws -> [String: Any] {
    let answer = try await send(
      "POST", "/goog/cdp/execute", ["cmd": name, "params": parameters])
    return answer as? [String: Any] ?? [:]
  }

  /// Sets the size of the window and the colors of the system.
  func look(width: Int, scheme: String) async throws {
    try await command(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": 844, "deviceScaleFactor": 1, "mobile": false])
    try await command(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": scheme]]])
  }

  /// Opens a second window, and returns the names of both.
  func openWindow() async throws -> (first: String, second: String) {
    let first = try #require(try await send("GET", "/window") as? String)
    let made = try await send("POST", "/window/new", ["type": "window"]) as? [String: Any]
    return (first, try #require(made?["handle"] as? String))
  }

  /// Goes on in a window.
  func switchTo(_ window: String) async throws {
    try await send("POST", "/window", ["handle": window])
  }

  /// A picture of the window, as PNG.
  func picture() async throws -> [UInt8] {
    let text = try await command("Page.captureScreenshot", ["format": "png"])["data"] as? String
    return Array(try #require(text.flatMap { Data(base64Encoded: $0) }))
  }

  // MARK: - WebDriver

  @discardableResult
  private func send(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws
    -> Any
  {
    try await Self.send(method, "/session/\(session)\(path)", body, port: port)
  }

  private static func send(
    _ method: String, _ path: String, _ body: [String: Any]?, port: Int
  ) async throws -> Any {
    let text = try body.map {
      String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
    }
    let connection = try WireConnection(port: port)
    connection.send(
      "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(text?.utf8.count ?? 0)\r\n\r\n"
        + (text ?? ""))
    let answer = try #require(await connection.answer(), "no answer to \(method) \(path)")
    let document = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
    guard answer.status == 200, let value = document?["value"] else {
      throw BrowserError(description: "\(method) \(path): \(answer.body)")
    }
    return value
  }
}

/// Why the browser did not do what a test asked.
struct BrowserError: Error, CustomStringConvertible {
  let description: String
}
#endif
