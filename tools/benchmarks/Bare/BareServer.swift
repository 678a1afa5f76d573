#if Service
import Foundation
import Hummingbird

/// A route of Hummingbird that answers a fixed text, for comparison with the service.
@main
struct BareServer {
  static func main() async throws {
    let router = Router()
    router.get("bare") { _, _ in String(repeating: "x", count: 1_024) }
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
