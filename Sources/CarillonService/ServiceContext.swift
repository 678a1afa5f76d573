#if Service
import CarillonHub
package import Hummingbird
import NIOCore

/// A request of the service, with the port at which it arrived, and who makes it.
package struct ServiceContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// The port of this end of the connection; nil if the connection has none.
  var port: Int? { channel.localAddress?.port }
  /// The client that limits count the request for.
  var client: ClientAddress
  /// Who makes the request; nil before that was checked, and on routes for everyone.
  var requester: Requester?
  /// At a hub, the device that makes the request.
  var device: HubDevice?

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
    client = source.channel.remoteAddress?.ipAddress.flatMap(ClientAddress.init) ?? .unknown
  }
}
#endif
