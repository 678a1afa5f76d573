#if Service
package import Hummingbird
import NIOCore

/// A request of the service, with the port at which it arrived.
package struct ServiceContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The port of this end of the connection; nil if the connection has none.
  let port: Int?

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    port = source.channel.localAddress?.port
  }
}
#endif
