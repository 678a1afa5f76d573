#if Service
import Foundation
import Hummingbird

/// Routes of Hummingbird that answer a fixed text, for comparison with the service.
@main
struct BareServer {
  static func main() async throws {
    let router = Router()
    router.get("bare") { _, _ in String(repeating: "x", count: 1_024) }
    router.post("bare") { request, _ in
      for try await _ in request.body {}
      return String(repeating: "x", count: 256)
    }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        let line = "bare at \(channel.localAddress?.port ?? 0)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      })
    try await application.run()
  }
}
#else
@main
struct BareServer {
  static func main() { print("bare-server was built without the trait Service") }
}
#endif
